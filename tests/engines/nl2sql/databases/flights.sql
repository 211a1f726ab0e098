CREATE TABLE airlines (uid INTEGER PRIMARY KEY, Airline VARCHAR, Abbreviation VARCHAR, Country VARCHAR);
CREATE TABLE airports (AirportCode VARCHAR PRIMARY KEY, AirportName VARCHAR, City VARCHAR, Country VARCHAR, Elevation INTEGER);
CREATE TABLE flights (FlightNo INTEGER PRIMARY KEY, AirlineId INTEGER REFERENCES airlines(uid), SourceAirport VARCHAR REFERENCES airports(AirportCode), DestAirport VARCHAR REFERENCES airports(AirportCode), Price DOUBLE, Distance INTEGER, DepartureDate DATE);
CREATE TABLE aircraft (aid INTEGER PRIMARY KEY, name VARCHAR, distance INTEGER, seats INTEGER);
INSERT INTO airlines VALUES (1,'Blue Wings','BLW','Norway'),(2,'Sun Air','SUN','Spain'),(3,'Polar Jet','POL','Norway'),(4,'Desert Sky','DSK','Egypt');
INSERT INTO airports VALUES ('OSL','Gardermoen','Oslo','Norway',208),('MAD','Barajas','Madrid','Spain',610),('CAI','Cairo Intl','Cairo','Egypt',116),('BGO','Flesland','Bergen','Norway',50),('SVQ','San Pablo','Seville','Spain',34);
INSERT INTO flights VALUES (11,1,'OSL','MAD',210.5,2390,'2023-05-01'),(12,1,'OSL','BGO',60,320,'2023-05-02'),(13,2,'MAD','SVQ',75,390,'2023-06-11'),(14,3,'BGO','OSL',55,320,'2024-01-15'),(15,1,'MAD','OSL',199,2390,'2024-02-20'),(16,2,'MAD','OSL',230,2390,'2024-03-03'),(17,4,'CAI','MAD',310,3350,'2024-03-05');
INSERT INTO aircraft VALUES (1,'Falcon 10',3000,20),(2,'Condor 7',8000,220),(3,'Swift',900,8);
