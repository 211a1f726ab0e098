CREATE TABLE guide (guide_id INTEGER PRIMARY KEY, name VARCHAR, nation VARCHAR, born INTEGER, fee INTEGER);
CREATE TABLE trip (trip_id INTEGER PRIMARY KEY, name VARCHAR, valley_id INTEGER REFERENCES valley(valley_id), leader_id INTEGER REFERENCES guide(guide_id), year INTEGER, days INTEGER, cost INTEGER);
CREATE TABLE took_part (trip_id INTEGER REFERENCES trip(trip_id), guide_id INTEGER REFERENCES guide(guide_id), duty VARCHAR, PRIMARY KEY (trip_id, guide_id));
CREATE TABLE valley (valley_id INTEGER PRIMARY KEY, name VARCHAR, climate VARCHAR);
INSERT INTO valley VALUES (1,'Oru','wet'),(2,'Karsa','dry'),(3,'Tipa','wet');
INSERT INTO guide VALUES (1,'Ilse','German',1961,300),(2,'Mateus','Brazilian',1974,250),(3,'Jun','Japanese',1980,410),(4,'Freya','Norwegian',1968,380),(5,'Karl','German',1955,200);
INSERT INTO trip VALUES (1,'First Sands',2,5,1998,45,80),(2,'River Source',1,2,2005,120,260),(3,'High Pass',2,3,2012,75,150),(4,'Second Sands',2,1,2014,30,70),(5,'Canopy',1,2,2017,90,310);
INSERT INTO took_part VALUES (1,5,'lead'),(1,1,'medic'),(2,2,'lead'),(2,1,'medic'),(3,3,'lead'),(4,1,'lead'),(4,5,'cook'),(5,2,'lead');
