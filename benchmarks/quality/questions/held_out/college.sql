create table Faculty (FacID integer primary key, LastN varchar, FirstN varchar, Rank varchar, Dept varchar);
create table Course (CID varchar primary key, CName varchar, Credits integer, Instructor integer, Room varchar);
create table Pupil (PupID integer primary key, LastN varchar, FirstN varchar, Age integer, Sex varchar, Major varchar, Advisor integer);
create table Enrolled_In (PupID integer, CID varchar, Grade double);
insert into Faculty values (11,'Okafor','Ngozi','Professor','Physics'),(12,'Brandt','Uwe','Lecturer','Physics'),(13,'Silva','Rita','Professor','History'),(14,'Tanaka','Kenji','Associate','Biology'),(15,'Moreau','Claire','Lecturer','History');
insert into Course values ('PH10','Mechanics',4,11,'A1'),('PH20','Optics',3,12,'A2'),('HI10','Ancient Rome',3,13,'B4'),('HI30','Trade Routes',5,13,'B4'),('BI15','Genetics',4,14,'C2'),('BI40','Ecology',2,14,'C3');
insert into Pupil values (1001,'Adler','Tom',19,'M','Physics',11),(1002,'Bose','Anu',22,'F','Biology',14),(1003,'Costa','Luis',20,'M','History',13),(1004,'Duval','Emma',21,'F','Physics',11),(1005,'Evans','Rhys',25,'M','History',13),(1006,'Farah','Leila',18,'F','Biology',14),(1007,'Gruber','Max',23,'M','Physics',12),(1008,'Hill','Zoe',20,'F','History',13);
insert into Enrolled_In values (1001,'PH10',3.5),(1001,'PH20',3.0),(1002,'BI15',4.0),(1002,'BI40',3.7),(1003,'HI10',2.5),(1004,'PH10',3.9),(1004,'BI15',3.1),(1005,'HI10',3.3),(1005,'HI30',2.9),(1007,'PH20',2.0),(1007,'PH10',2.7),(1002,'HI10',3.6),(1008,'HI30',3.8);
