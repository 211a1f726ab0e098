create table warehouse (wno integer, wname varchar, wcity varchar, cap_t integer);
create table clerk (cno integer, cname varchar, duty varchar, wno integer, pay integer, boss_no integer, start_dt date);
create table goods (gno varchar, gname varchar, unit_wt double, price double);
create table holds (wno integer, gno varchar, cnt integer);
insert into warehouse values (1,'Northgate','Hull',900),(2,'Quay Nine','Bristol',1500),(3,'Elm Yard','Hull',400),(4,'Airside','Derby',250);
insert into clerk values (10,'Ines','supervisor',1,4100,null,'2012-02-01'),(11,'Gus','packer',1,2300,10,'2019-05-12'),(12,'Hetty','packer',2,2450,13,'2018-10-01'),(13,'Omar','supervisor',2,4300,10,'2014-07-15'),(14,'Lise','driver',3,2900,13,'2020-03-03'),(15,'Pavel','driver',3,2850,10,'2021-11-29'),(16,'Rhea','packer',1,2250,10,'2022-06-06');
insert into goods values ('a1','ladders',12.5,79),('b2','buckets',0.8,6.5),('c3','rope',3.1,18.9),('d4','lamps',1.4,24),('e5','tarpaulin',5.6,42);
insert into holds values (1,'a1',40),(1,'b2',300),(2,'b2',120),(2,'c3',85),(2,'d4',60),(3,'c3',20),(3,'a1',15);
