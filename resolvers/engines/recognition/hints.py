"""Defines what the words of a name or comment hint at, in several languages. A hint is never enough and never
needed.
"""
# ruff: noqa: E501 - words and patterns of many languages

import re
from functools import lru_cache
from typing import Final

_SPLIT = re.compile(r"[^\w]+|_+|(?<=[a-zß-ÿ])(?=[A-ZÀ-Ý])|(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])")


def _phrases(text: str) -> tuple[str, ...]:
    return tuple(phrase.strip() for phrase in text.replace("\n", " ").split(",") if phrase.strip())


STRONG: Final[dict[str, tuple[str, ...]]] = {
    "Email": _phrases("email, e mail, mail address, courriel, correo, correo electronico, e post, epost, mailadresse, "
                      "emailadresse, sahkoposti, mail, eposta, email addr"),
    "PhoneNumber": _phrases("phone, telephone, mobile, cell, cellphone, fax, tel, telefon, telefono, telefone, handy, "
                            "mobil, mobiltelefon, portable, movil, celular, cellulare, msisdn, telnr, whatsapp, telefoon, "
                            "rufnummer, phonenumber, phone number, landline, gsm, puhelin"),
    "PersonName": _phrases("initials, middle initial, geburtsname, apellido materno, apellido paterno, name suffix, suffix, first name, firstname, last name, lastname, full name, fullname, surname, given name, fname, "
                           "lname, family name, middle name, maiden name, vorname, nachname, familienname, prenom, "
                           "nom de famille, nom complet, nombre completo, apellido, apellidos, cognome, sobrenome, apelido, "
                           "voornaam, achternaam, imie, nazwisko, fornamn, efternamn, etternavn, person name, "
                           "contact name, customer name, patient name, employee name, cardholder, card holder, forename, "
                           "nome completo, display name, emergency contact, beneficiary name, account holder, author name, "
                           "guardian, spouse, next of kin, name first, name last, name middle, name family, name given"),
    "StreetAddress": _phrases("address, street, addr, adresse, strasse, straße, rue, calle, direccion, indirizzo, via, "
                              "endereco, rua, adres, straat, ulica, adress, gata, street address, address line, address1, "
                              "address2, hausnummer, domicilio, domicile, residence, anschrift, house number"),
    "Postcode": _phrases("zip, zipcode, zip code, postcode, post code, postal code, postalcode, plz, postleitzahl, "
                         "code postal, codigo postal, cp, cap, cep, postnummer, postnr, kod pocztowy, pincode, pin code, cod postal, "
                         "cod poste, psc, iranyitoszam, postinumero, posta kodu"),
    "City": _phrases("city, town, stadt, ort, wohnort, ville, ciudad, citta, cidade, plaats, woonplaats, miasto, stad, by, "
                     "municipality, birthplace, place of birth, geburtsort, kommune, localidad, commune"),
    "Country": _phrases("country, nationality, citizenship, land, pays, pais, paese, staatsangehoerigkeit, nationalite, "
                        "nacionalidad, country code, birth country, kraj, nation"),
    "Coordinates": _phrases("latitude, longitude, lat, lon, lng, long, coordinates, geo, geolocation, gps, breitengrad, "
                            "laengengrad, latitud, longitud, latlng, latlong, geo point, coords"),
    "DateOfBirth": _phrases("birth, dob, birthday, birthdate, date of birth, birth date, bday, geburtsdatum, geburtstag, "
                            "date de naissance, naissance, fecha nacimiento, fecha de nacimiento, nacimiento, "
                            "data di nascita, nascita, data nascimento, nascimento, geboortedatum, data urodzenia, "
                            "fodselsdato, fodelsedatum, born, born on, dateofbirth, naiss, yob, geburtsjahr, "
                            "annee de naissance, anno di nascita, ano de nascimento, geburtsmonat"),
    "Age": _phrases("age, alter, edad, eta, idade, leeftijd, wiek, age years, alder, patient age"),
    "Gender": _phrases("gender, sex, geschlecht, sexe, sexo, genere, sesso, genero, geslacht, plec, kon, kjonn, anrede"),
    "MaritalStatus": _phrases("marital, marital status, familienstand, etat civil, estado civil, stato civile, "
                              "burgerlijke staat, civil status, married"),
    "Ethnicity": _phrases("hispanic, hispanic origin, raza, ethnicity, ethnic, race, ethnie, etnia, raza, ethnic group, ethnic origin, racial"),
    "Religion": _phrases("religion, faith, belief, konfession, religious, religione, religiao, denomination, creed"),
    "Biometric": _phrases("biometric, fingerprint, face template, iris, retina, voiceprint, face encoding, "
                          "face embedding, fingerabdruck, facial, palm print"),
    "Username": _phrases("username, user name, login, userid, handle, nickname, screen name, benutzername, utilisateur, "
                         "usuario, nick, account name, screenname, logon, utente, gebruikersnaam, twitter, instagram, "
                         "github, sam account"),
    "NationalId": _phrases("ssn, social security, national id, personal number, personnummer, national insurance, nino, "
                           "bsn, dni, nie, cpf, pesel, codice fiscale, nir, insee, sozialversicherungsnummer, aadhaar, "
                           "identity number, id number, ausweisnummer, curp, rut, cedula, fodselsnummer, sin, "
                           "identity card, id card, svnr, hetu, cnp, egn, oib, jmbg, rodne cislo, social insurance, "
                           "national number, government id, ausweis, ausweisnr, personalausweis, personalausweisnummer, dowod osobisty, "
                           "carte identite, numero identite, carta identita, documento identidad, cartao cidadao, "
                           "num secu, numero securite sociale, henkilotunnus, personnr, id kort,  socialsecuritynumber, rrn, nric, tc kimlik, ahv, nationalid"),
    "TaxId": _phrases("tax id, taxid, tin, vat, vat id, vat number, steuernummer, steuer id, ust id, nif, cif, nit, rfc, "
                      "partita iva, siret, tva, ein, itin, utr, pan, gstin, abn, tfn, cnpj, cuit, inn, nip, tax number, "
                      "umsatzsteuer, btw, rfc, vatin, tax identification"),
    "Passport": _phrases("passport, passport number, reisepass, passeport, pasaporte, passaporto, paspoort, paszport, "
                         "travel document, passaporte, passport no, passnummer, passnr, passi, utlevel, pasaport, ppt, ppt no, "
                      "reisepassnummer"),
    "LicensePlate": _phrases("license plate, licence plate, plate, registration number, kennzeichen, immatriculation, "
                             "matricula, targa, kenteken, number plate, plate number, reg no, vehicle registration, placa, plaka, "
                             "nr rejestracyjny, numer rejestracyjny, tablica rejestracyjna, registreringsnummer, regnr, "
                             "rekisterinumero, rendszam, spz, vrm, vrn, vehicle no, vehicle number, nummernschild"),
    "Vin": _phrases("vin, vehicle identification, chassis, fahrgestellnummer, fin, chassis number"),
    "PaymentCard": _phrases("card, credit card, card number, creditcard, cc, pan, debit card, cardnumber, kreditkarte, "
                            "carte bancaire, tarjeta, carta di credito, ccnum, cc number, payment card, cartao"),
    "Iban": _phrases("iban, bank account, kontonummer, account iban, bankverbindung"),
    "BankAccount": _phrases("bank account, account number, routing number, kontonummer, konto, cuenta bancaria, "
                            "cuenta, conto corrente, rekeningnummer, sort code, bban, clabe, aba, routing, acct, "
                            "accountnumber, account no, bankkonto"),
    "BankCode": _phrases("bic, swift, swift code, bank code, bic code, swiftcode"),
    "CryptoWallet": _phrases("wallet, bitcoin, btc, eth, ethereum, crypto, wallet address, blockchain"),
    "HealthId": _phrases("nhs, npi, nhs number, medicare, mbi, health insurance, patient id, medical record, mrn, "
                         "krankenversicherung, health card, insurance number, kvnr, provider number"),
    "MedicalCode": _phrases("icd, icd10, icd 10, diagnosis, diagnosis code, dx, diagnose, diagnostic, diagnostico, "
                            "condition code, icd code"),
    "BloodType": _phrases("blood, blood type, blood group, blutgruppe, groupe sanguin, grupo sanguineo"),
    "IpAddress": _phrases("ip, ip address, ipaddr, ipv4, ipv6, remote addr, client ip, source ip, ipaddress, host ip"),
    "MacAddress": _phrases("mac, mac address, macaddr, hardware address, bssid, mac addr"),
    "Imei": _phrases("imei, device imei, handset"),
    "CredentialUrl": _phrases("dsn, connection string, database url, connection url"),
    "Secret": _phrases("cvv, cvc, cvv2, cvc2, security code, secret, token, api key, apikey, access key, private key, credential, client secret, bearer, "
                       "access token, refresh token, auth token, secret key, password, passwd, pwd, passwort, "
                       "mot de passe, contrasena, senha, session key, pass"),
    "PasswordHash": _phrases("contrasena, mot de passe, senha, wachtwoord, haslo, password, passwd, pwd, password hash, pass hash, hashed password, passwort, pw hash, "
                             "password digest, encrypted password, kennwort"),
}  # fmt: skip
"""Phrases that name the tag."""

WEAK: Final[dict[str, tuple[str, ...]]] = {
    "PersonName": _phrases("name, contact, customer, employee, author, owner, manager, patient, user, person, client, "
                           "nom, nombre, nome, naam, namn, navn, nazwa, artist, composer, director, agent, doctor, "
                           "physician, reviewer, recipient, sender, student, teacher, member, player, driver, passenger, "
                           "commander, captain, officer, president, chairman, coach, judge, guest, host, winner, nurse, lawyer, witness, "
                           "applicant, landlord, tenant, inspector, assignee, created by, updated by, sales rep, representative, signatory, payee, payer"),
    "PhoneNumber": _phrases("contact, number, kontakt, call"),
    "Email": _phrases("contact, login, username, recipient, sender, from, to, cc"),
    "StreetAddress": _phrases("location, addr line, shipping, billing, home, delivery, line1, line2"),
    "City": _phrases("location, place, region, district, home"),
    "Country": _phrases("location, origin, region, citizen"),
    "DateOfBirth": _phrases("date, nato, ne le"),
    "Age": _phrases("years"),
    "Username": _phrases("user, account, alias, author, created by, owner"),
    "NationalId": _phrases("id, identification, document, identity, personal, document number, national"),
    "TaxId": _phrases("tax, steuer, fiscal, impuesto, company number"),
    "Passport": _phrases("document, travel, document number"),
    "BankAccount": _phrases("account, bank, compte"),
    "Iban": _phrases("account, konto, bank, payment"),
    "BankCode": _phrases("bank"),
    "PaymentCard": _phrases("payment, visa, mastercard"),
    "HealthId": _phrases("patient, medical, health, insurance, provider"),
    "MedicalCode": _phrases("condition, disease, medical"),
    "LicensePlate": _phrases("vehicle, car, license, registration"),
    "Coordinates": _phrases("location, position, point"),
    "Secret": _phrases("key, auth, session"),
    "PasswordHash": _phrases("hash, digest, auth, credentials"),
    "Vin": _phrases("vehicle, car"),
    "Biometric": _phrases("template, print, scan"),
    "Imei": _phrases("device"),
    "MacAddress": _phrases("device, hardware"),
    "CryptoWallet": _phrases("address"),
}  # fmt: skip
"""Phrases that go with the tag and with other things too."""

OTHER: Final = frozenset(
    _phrases("product, sku, item, order, invoice, ticket, batch, serial, article, artikel, produit, producto, quantity, "
             "price, amount, total, cost, count, qty, revision, version, file, filename, path, url, title, category, "
             "company, vendor, supplier, brand, department, firm, organisation, organization, model, part, color, status, "
             "type, code, table, column, field, team, song, track, album, movie, film, book, event, project, checksum, "
             "etag, commit, hash, md5, sha1, sha256, created at, updated at, timestamp, year, employer, publisher, label, "
             "genre, playlist, warehouse, machine, tracking, reference, isbn, ean, gtin, upc, barcode, score, rate, ratio, "
             "park, stadium, arena, venue, building, school, university, airport, hotel, restaurant, hospital, station, "
             "church, bridge, stop, platform, line, race, brands, period, quarter, club, franchise, store, shop, museum, theatre, "
             "percent, county, province, district, room, annex, hall, colour, temperature, weight, height, currency, shipment, hostname, branch, firma, unternehmen, empresa, "
             "societe, entreprise, azienda, bedrijf, page, message, subject, comment, notes, "
             "language, sprache, langue, idioma, lingua, "
             "magasin, boutique, tienda, negozio, loja, winkel, sklep, filiale, geschaeft, butik, lager, almacen, "
             "entrepot, magazzino, hersteller, lieferant, fournisseur, proveedor, fornitore, fornecedor, leverancier, "
             "dostawca, rechnung, facture, factura, fattura, bestellung, commande, pedido, ordine, zamowienie, bestelling")
)  # fmt: skip
"""Words that name something else than a person's data."""

BEARERS: Final = frozenset(
    _phrases("product, item, article, artikel, produit, producto, title, company, vendor, supplier, brand, brands, department, "
             "firm, organisation, organization, model, team, song, track, album, movie, film, book, event, project, employer, "
             "publisher, label, genre, playlist, warehouse, machine, park, stadium, arena, venue, building, school, university, "
             "airport, hotel, restaurant, hospital, station, church, bridge, stop, platform, race, club, franchise, store, shop, "
             "museum, theatre, county, province, district, room, annex, hall, colour, color, branch, firma, unternehmen, empresa, "
             "societe, entreprise, azienda, bedrijf, magasin, boutique, tienda, negozio, loja, winkel, sklep, filiale, "
             "geschaeft, butik, lager, almacen, entrepot, magazzino, hersteller, lieferant, fournisseur, proveedor, fornitore, "
             "fornecedor, leverancier, dostawca, "
             "pet, animal, dog, puppy, cat, kitten, horse, pony, mare, foal, cow, rabbit, parrot, haustier, hund, katze, pferd, "
             "chien, cheval, perro, gato, caballo, mascota, gatto, cavallo, huisdier, hond, paard, ship, vessel, boat, yacht, "
             "schiff, navire, barco, nave, schip, storm, hurricane, typhoon, cyclone, asteroid, crater, locomotive")
)  # fmt: skip
"""Things that bear the names of persons. Words for numbers, codes and moments are none of them: what is written under
such a word and is a name is a name."""

OF_ANIMALS: Final = frozenset(
    _phrases("species, breed, tierart, rasse, espece, especie, razza, pedigree, fur colour, fur color, coat colour, coat color")
)  # fmt: skip
"""What is kept of animals, and of no person."""

NAMING: Final = frozenset(_phrases("name, names, nm, called, title, nom, nombre, nome, naam, namn, navn, nazwa"))
"""Words that name what the table is of."""

PERSONS: Final = frozenset(
    _phrases("customer, customers, client, clients, user, users, employee, employees, staff, person, persons, people, "
             "patient, patients, contact, contacts, member, members, student, students, teacher, teachers, author, authors, "
             "applicant, applicants, candidate, candidates, guest, guests, passenger, passengers, citizen, citizens, "
             "resident, residents, donor, donors, subscriber, subscribers, profile, profiles, kunde, kunden, mitarbeiter, "
             "personen, benutzer, patienten, clientes, empleados, usuarios, personas, pacientes, employes, utilisateurs, "
             "personnes, clienti, dipendenti, utenti, persone, klanten, medewerkers, driver, drivers, voter, voters, "
             "lead, leads, beneficiary, beneficiaries, policyholder, policyholders, tenant, tenants, hr, payroll, crm, "
             "doctor, doctors, nurse, nurses, owner, owners, agent, agents, insured, borrowers, account holders")
)  # fmt: skip
"""Names of tables whose rows are persons."""


MEASURES: Final = frozenset(
    [
        "size",
        "count",
        "counts",
        "rate",
        "attempts",
        "tries",
        "length",
        "condition",
        "conditions",
        "total",
        "avg",
        "average",
        "median",
        "policy",
        "enabled",
        "expired",
        "expires",
        "required",
        "changed",
        "anzahl",
        "groesse",
        "laenge",
    ]
)
"""Words that make of a name before them something that is counted or held about it: the size of a zip."""


@lru_cache(maxsize=4096)
def words(name: str) -> tuple[str, ...]:
    """The words of a name in lower case: snake case, camel case and digits are taken apart."""
    return tuple(word.lower() for word in _SPLIT.split(name) if word)


def plain(text: str) -> str:
    """The text without accents, as the phrases are written."""
    for accent, letter in zip("áàâãåéèêëíìîïóòôõúùûçñø", "aaaaaeeeeiiiioooouuucno", strict=True):
        text = text.replace(accent, letter)
    return text.replace("ä", "ae").replace("ö", "oe").replace("ü", "ue")


def _found(spoken: tuple[str, ...], phrases: tuple[str, ...] | frozenset[str]) -> bool:
    line = " ".join(spoken)
    joined = "".join(spoken)
    padded = f" {line} "
    return any(
        f" {phrase} " in padded or joined == (compact := phrase.replace(" ", ""))
        or (len(compact) >= 6 and compact in joined)
        for phrase in phrases
    )  # fmt: skip


@lru_cache(maxsize=8192)
def hint(text: str, tag: str) -> float:
    """1 when the words name the tag, 0.5 when they go with it, 0 when they do not."""
    spoken = words(plain(text))
    if not spoken:
        return 0.0
    if _found(spoken, STRONG.get(tag, ())):
        return 0.5 if len(spoken) > 1 and spoken[-1] in MEASURES else 1.0
    return 0.5 if _found(spoken, WEAK.get(tag, ())) else 0.0


@lru_cache(maxsize=4096)
def names_other(text: str) -> bool:
    """Return whether the words name something that is not a person's data."""
    spoken = words(plain(text))
    return _found(spoken, OTHER) or (len(spoken) > 1 and spoken[-1] in MEASURES)


@lru_cache(maxsize=4096)
def names_bearer(text: str) -> bool:
    """Return whether the words name things that are called after persons."""
    return _found(words(plain(text)), BEARERS)


@lru_cache(maxsize=4096)
def ends_in_bearer(text: str) -> bool:
    """Return whether the words are the name of such a thing: a station's, and not that of a store's manager."""
    spoken = list(words(plain(text)))
    while len(spoken) > 1 and spoken[-1] in ("name", "names", "nm"):
        spoken.pop()
    return _found(tuple(spoken[-1:]), BEARERS)


@lru_cache(maxsize=4096)
def only_names(text: str) -> bool:
    """Return whether the words say that it is the name of what the table is of, and nothing else."""
    return NAMING.issuperset(words(plain(text)))


@lru_cache(maxsize=4096)
def tells_of_animals(text: str) -> bool:
    """Return whether the words name what only animals have."""
    return _found(words(plain(text))[-2:], OF_ANIMALS)


@lru_cache(maxsize=4096)
def names_persons(text: str) -> bool:
    """Return whether a table is named after persons."""
    return _found(words(plain(text)), PERSONS)
