create table boat (boat_id integer primary key, boat_name varchar, class_cd varchar, length_m double, built_yr integer, home_port varchar);
create table boat_class (class_cd varchar primary key, class_name varchar, max_crew integer);
create table skipper (skip_id integer primary key, skip_name varchar, nation varchar, birth_dt date, boat_id integer references boat (boat_id));
create table duel (duel_id integer primary key, winner_boat integer references boat (boat_id), loser_boat integer references boat (boat_id), duel_day date, winner_secs integer, loser_secs integer, course varchar);
insert into boat_class values ('DN','dinghy',2),('KB','keelboat',5),('CT','catamaran',4),('WS','windsurfer',1);
insert into boat values (1,'Petrel','KB',8.4,2008,'Cowes'),(2,'Zephyr','CT',6.2,2016,'Lymington'),(3,'Grebe','DN',4.1,2012,'Cowes'),(4,'Tempest','KB',9.1,2001,'Poole'),(5,'Whisper','DN',4.3,2019,'Cowes'),(6,'Skua','CT',5.9,2020,'Poole'),(7,'Fulmar','KB',7.7,2014,'Dartmouth');
insert into skipper values (1,'Ana Prado','Spain','1990-05-14',1),(2,'Iain Moss','UK','1978-11-02',4),(3,'Kirsten Dahl','Norway','1985-08-23',2),(4,'Mo Farouk','Egypt','1999-01-30',5),(5,'Colette Roy','France','1982-03-17',null);
insert into duel values (1,1,4,'2023-06-03',3120,3344,'outer'),(2,2,6,'2023-06-03',2710,2755,'outer'),(3,3,5,'2023-06-04',1890,1902,'inner'),(4,1,2,'2023-06-10',3055,3060,'outer'),(5,5,3,'2023-06-11',1877,1931,'inner'),(6,1,6,'2023-06-17',3001,3240,'harbour');
