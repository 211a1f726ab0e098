create table owners (own_id integer primary key, fname varchar, lname varchar, city varchar, zip varchar);
create table vets (vet_id integer primary key, fname varchar, lname varchar, yrs_exp integer, speciality varchar);
create table pets (pet_id integer primary key, own_id integer, pname varchar, species varchar, birth_dt varchar, wt_kg double,
  foreign key (own_id) references owners (own_id));
create table visits (visit_id integer primary key, pet_id integer, vet_id integer, visit_dt varchar, cost double, reason varchar,
  foreign key (pet_id) references pets (pet_id), foreign key (vet_id) references vets (vet_id));
insert into owners values (1,'Mara','Lindqvist','Tromso','9008'),(2,'Jonas','Eide','Bergen','5003'),(3,'Ingrid','Holm','Tromso','9010'),(4,'Per','Vik','Oslo','0150'),(5,'Astrid','Moe','Bergen','5018'),(6,'Knut','Berge','Bodo','8006');
insert into vets values (1,'Silje','Dahl',12,'surgery'),(2,'Ole','Strand',4,'dentistry'),(3,'Nina','Foss',21,'surgery'),(4,'Erik','Lund',7,'general');
insert into pets values (1,1,'Pepper','dog','2015-03-02',23.5),(2,1,'Miso','cat','2019-07-11',4.2),(3,2,'Bjorn','dog','2012-01-20',31.0),(4,3,'Luna','cat','2020-05-05',3.8),(5,3,'Kiwi','parrot','2018-09-30',0.4),(6,3,'Rex','dog','2016-12-01',28.3),(7,4,'Nori','cat','2014-02-14',5.1),(8,5,'Tango','parrot','2021-08-08',0.5),(9,5,'Hazel','rabbit','2022-04-17',1.9),(10,2,'Ziggy','cat','2017-10-10',4.6);
insert into visits values (1,1,1,'2023-01-10',120.0,'vaccination'),(2,3,1,'2023-01-12',340.0,'surgery'),(3,2,2,'2023-02-01',95.0,'dental'),(4,4,4,'2023-02-14',60.0,'checkup'),(5,6,3,'2023-03-03',510.0,'surgery'),(6,1,4,'2023-03-21',60.0,'checkup'),(7,7,2,'2023-04-02',110.0,'dental'),(8,3,3,'2023-04-19',75.0,'checkup'),(9,6,4,'2023-05-05',80.0,'vaccination'),(10,5,4,'2023-05-23',45.0,'checkup'),(11,6,4,'2023-06-11',65.0,'checkup'),(12,3,4,'2023-06-30',70.0,'checkup');
