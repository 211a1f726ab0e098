create table tea_garden (garden_id varchar primary key, gname varchar, region varchar, elevation_m integer, est_year integer);
create table tea (tea_code varchar primary key, tname varchar, kind varchar, garden_id varchar references tea_garden (garden_id), harvest_year integer, price_per_kg double);
create table taster (taster_no integer primary key, taster_name varchar, home_city varchar, certified char(1));
create table tasting (taster_no integer references taster (taster_no), tea_code varchar references tea (tea_code), tasting_date date, score integer);
insert into tea_garden values ('G1','Mistwood','Darjeeling',1850,1867),('G2','Golden Slope','Assam',95,1902),('G3','Cloud Terrace','Alishan',1410,1974),('G4','Riverbend','Assam',110,1891),('G5','Stone Steps','Uji',320,1755);
insert into tea values ('T01','First Flush','black','G1',2023,210),('T02','Malty Morning','black','G2',2022,48.5),('T03','High Cloud','oolong','G3',2023,320),('T04','Jade Mist','green','G5',2024,275),('T05','Autumnal','black','G1',2022,140),('T06','Amber','oolong','G3',2021,260.5),('T07','Sencha Fine','green','G5',2023,190),('T08','Broken Leaf','black','G4',2024,22);
insert into taster values (1,'Ronan Blake','Dublin','Y'),(2,'Sayuri Oda','Kyoto','Y'),(3,'Piet Smit','Utrecht','N'),(4,'Amara Diallo','Dakar','Y');
insert into tasting values (1,'T01','2024-01-10',91),(1,'T02','2024-01-10',78),(2,'T01','2024-01-12',94),(2,'T04','2024-03-02',97),(2,'T07','2024-03-02',89),(3,'T02','2024-02-20',70),(3,'T03','2024-02-21',88),(1,'T03','2024-04-05',95),(2,'T06','2024-04-08',90),(1,'T05','2024-05-01',84);
