create table dept (dept_no integer, dname varchar, loc varchar);
create table emp (emp_no integer, ename varchar, job_title varchar, mgr_no integer, dept_no integer, hire_date date, sal integer, comm integer);
create table proj (proj_no varchar, pname varchar, budget integer, dept_no integer);
create table works_on (emp_no integer, proj_no varchar, hrs integer);
insert into dept values (10,'Research','Leiden'),(20,'Sales','Delft'),(30,'Logistics','Breda'),(40,'Legal','Leiden');
insert into emp values (1,'Vera','Director',null,10,'2009-04-01',9800,null),(2,'Bram','Analyst',1,10,'2014-09-15',5200,null),(3,'Daan','Salesman',5,20,'2018-02-01',3100,400),(4,'Fleur','Salesman',5,20,'2019-11-20',3300,250),(5,'Joris','Manager',1,20,'2011-06-30',6400,null),(6,'Lotte','Clerk',7,30,'2020-01-10',2600,null),(7,'Sanne','Manager',1,30,'2012-03-05',6100,null),(8,'Teun','Driver',7,30,'2021-07-01',2800,100),(9,'Ruben','Analyst',1,10,'2016-05-23',4900,null),(10,'Maud','Salesman',5,20,'2022-08-15',2950,0);
insert into proj values ('P1','Tulip',50000,10),('P2','Windmill',120000,10),('P3','Canal',30000,30),('P4','Bicycle',75000,20);
insert into works_on values (2,'P1',20),(2,'P2',15),(9,'P2',35),(3,'P4',10),(4,'P4',25),(6,'P3',30),(8,'P3',38),(7,'P3',5),(9,'P1',5),(5,'P4',8);
