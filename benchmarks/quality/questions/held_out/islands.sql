create table island (island_name varchar primary key, archipelago varchar, area_km2 double, pop integer, highest_pt_m integer);
create table village (village_name varchar, island_name varchar, pop integer, has_harbour integer);
create table ferry_line (line_cd varchar primary key, from_island varchar, to_island varchar, minutes integer, fare double, company varchar);
create table lighthouse (lh_id integer primary key, lh_name varchar, island_name varchar, built integer, height_m double, is_lit integer);
insert into island values ('Skarn','Outer',312.4,2100,410),('Little Skarn','Outer',12.1,35,61),('Tolvey','Inner',88.0,940,233),('Brennay','Inner',45.5,510,119),('Haldor','Outer',140.2,0,702),('Fenholm','Far',23.9,77,40);
insert into village values ('Northport','Skarn',1200,1),('Millrigg','Skarn',430,0),('Castlebay','Tolvey',610,1),('Ardle','Tolvey',150,1),('Brennay Quay','Brennay',390,1),('Sandwick','Fenholm',70,1);
insert into ferry_line values ('L1','Skarn','Tolvey',95,12.5,'CalSea'),('L2','Tolvey','Brennay',40,6.0,'CalSea'),('L3','Skarn','Little Skarn',20,3.5,'IsleHop'),('L4','Brennay','Fenholm',130,17.0,'IsleHop'),('L5','Tolvey','Skarn',95,12.5,'CalSea'),('L6','Skarn','Brennay',120,15.0,'Northlink');
insert into lighthouse values (1,'Skarn Head','Skarn',1848,38.0,1),(2,'Devil Rock','Haldor',1901,24.5,0),(3,'Tolvey Light','Tolvey',1876,31.0,1),(4,'Old Beacon','Skarn',1790,15.0,0),(5,'Fen Point','Fenholm',1932,19.2,1);
