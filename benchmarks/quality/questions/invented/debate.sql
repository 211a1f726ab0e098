create table Debater (DebaterID integer primary key, LName varchar, FName varchar, Gender varchar, Age integer, Town varchar, Coach integer);
create table Coach (CoachID integer primary key, LName varchar, FName varchar, Since integer, Town varchar);
create table Motion (MotionNo varchar primary key, Topic varchar, Level integer, HeldOn varchar);
create table Speaks_On (DebaterID integer, MotionNo varchar, Side varchar, Points double);
insert into Coach values (1,'Marlow','Jean',2005,'Exeter'),(2,'Sethi','Vik',2015,'Bath'),(3,'Brock','Tess',2011,'Exeter');
insert into Debater values (21,'Ames','Lou','F',17,'Exeter',1),(22,'Birch','Theo','M',16,'Bath',2),(23,'Cole','Nia','F',18,'Bath',2),(24,'Dean','Alfie','M',15,'Exeter',1),(25,'Ellis','Marta','F',19,'Truro',1),(26,'Finch','Jude','M',14,'Truro',null);
insert into Motion values ('M1','school uniforms',1,'2022-03-05'),('M2','space budgets',3,'2022-04-09'),('M3','zoos',2,'2022-10-15'),('M4','voting at sixteen',3,'2023-02-18'),('M5','homework',1,'2023-03-11');
insert into Speaks_On values (21,'M1','pro',72),(22,'M1','con',69.5),(21,'M2','con',81),(23,'M2','pro',84.5),(25,'M3','pro',77),(22,'M3','con',70),(21,'M4','pro',88),(25,'M4','con',90);
