create table Brand (BrandID integer primary key, BrandName varchar, Country varchar, Founded integer);
create table Bike (BikeID integer primary key, Model varchar, BrandID integer references Brand (BrandID), Horsepower integer, Weight integer, Top_Speed integer, Model_Year integer, Price integer);
create table Dealer (DealerID integer primary key, DealerName varchar, City varchar, Open_Year integer);
create table Stock (DealerID integer references Dealer (DealerID), BikeID integer references Bike (BikeID), Qty integer, primary key (DealerID, BikeID));
insert into Brand values (1,'Ferrox','Italy',1926),(2,'Kumo','Japan',1955),(3,'Stahlross','Germany',1923),(4,'Bluebird','UK',1901),(5,'Hayato','Japan',1948);
insert into Bike values (1,'Vento 600',1,110,190,240,2015,11900),(2,'Vento 900',1,150,205,275,2018,16400),(3,'Kaze',2,72,170,190,2012,6900),(4,'Kaze S',2,95,176,215,2019,8800),(5,'Ross R',3,136,240,235,2017,17800),(6,'Ross T',3,102,262,200,2014,15200),(7,'Warbler',4,61,205,165,2010,7400),(8,'Raiden',5,200,199,299,2021,21500),(9,'Raiden Mini',5,33,140,140,2020,4300),(10,'Wren',4,48,168,150,2016,5600);
insert into Dealer values (1,'Two Wheels','Turin',1999),(2,'Moto Nord','Hamburg',2006),(3,'Chain & Co','Leeds',1988),(4,'Curve','Turin',2015),(5,'Asphalt','Lyon',2011);
insert into Stock values (1,1,4),(1,2,2),(1,8,1),(2,5,6),(2,6,3),(2,3,5),(3,7,9),(3,10,7),(4,1,1),(4,4,3),(2,8,2);
