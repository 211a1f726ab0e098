create table powerPlant (plantId integer primary key, plantName varchar, fuelType varchar, capacityMW double, commissioned varchar, ownerId integer);
create table owner (ownerId integer primary key, companyName varchar, hqCity varchar, numEmployees integer);
create table outage (outageId integer primary key, plantId integer, startTime timestamp, hoursDown double, cause varchar);
create table gridLink (fromPlant integer, toPlant integer, lengthKm double);
insert into owner values (1,'Voltara','Lyon',5400),(2,'Nordkraft','Bergen',2100),(3,'Heliox','Seville',860),(4,'Terrawatt','Cork',310);
insert into powerPlant values (1,'Roche Noire','nuclear',1300,'1984-06-01',1),(2,'Fjordfall','hydro',420,'1971-09-15',2),(3,'Campo Sol','solar',180,'2016-04-22',3),(4,'Val Vert','hydro',95,'1966-03-03',1),(5,'Kystvind','wind',240,'2012-10-10',2),(6,'Girasol','solar',75.5,'2020-08-01',3),(7,'Gas Sud','gas',610,'2001-01-20',1);
insert into outage values (1,1,'2023-01-04 03:00',36,'maintenance'),(2,2,'2023-01-19 14:30',5.5,'storm'),(3,5,'2023-02-02 22:10',12,'storm'),(4,7,'2023-03-11 07:45',8,'equipment failure'),(5,1,'2023-05-29 01:15',70,'maintenance'),(6,5,'2023-11-12 18:00',20,'storm'),(7,3,'2023-07-07 12:00',2,'equipment failure');
insert into gridLink values (1,4,120.5),(1,7,310),(2,5,85.2),(3,6,44);
