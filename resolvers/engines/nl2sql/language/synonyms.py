"""Words that people use for one another when they speak of data."""

from typing import Final

GROUPS: Final = tuple(
    frozenset(line.split())
    for line in """
    salary pay wage compensation remuneration paycheck
    salary earnings income
    kilo kilogram kilogramme kg
    income revenue earnings turnover
    revenue sales turnover proceeds
    profit earnings gain
    price cost
    cost expense charge spending expenditure
    fee charge cost
    fee tuition
    fare price ticket
    amount sum total value quantity
    amount price cost payment
    money amount cash
    quantity qty amount number count unit
    discount reduction rebate
    budget funds funding
    tax vat duty
    number count quantity total
    number no
    percent percentage pct ratio share rate proportion
    name title label
    nickname alias
    title job position role
    title heading headline caption subject
    name called
    description detail summary definition explanation
    comment remark note feedback
    note memo annotation
    text content body message
    kind type category class sort genre style
    genre style category
    category group classification
    type class model
    class course subject
    course subject module
    course class lecture
    status state condition
    status stage phase
    gender sex
    nationality country citizenship
    country nation homeland
    nation country nationality
    city town municipality village
    town village city
    state province region
    region area territory zone district
    district county borough
    location place site venue position spot
    address street
    home residence
    neighborhood district quarter
    venue location stadium arena hall theater
    stadium arena venue ground
    building house premise
    house home residence property dwelling
    apartment flat unit
    room chamber
    office branch
    shop store outlet retailer
    store shop market
    restaurant diner eatery cafe
    hotel inn lodging accommodation
    company firm business corporation enterprise organization
    organization institution agency association
    employer company
    branch office division
    department division unit section
    department faculty
    school university college institution academy
    university college campus
    team club squad side
    team franchise
    league division conference
    game match fixture
    match contest bout fight
    competition contest tournament championship event
    tournament championship cup
    event occasion happening
    race grand_prix
    concert show performance gig
    show program series
    exhibition show display
    employee worker staff personnel
    staff personnel team
    employee member staff
    manager boss supervisor head report
    head chief leader director boss
    chief president head
    president chairman
    customer client buyer consumer patron purchaser shopper
    client customer account
    guest visitor customer
    visitor guest tourist
    tourist traveler visitor
    passenger traveler rider
    member participant
    participant contestant competitor attendee entrant
    competitor contestant player athlete participant
    athlete player sportsman
    player athlete
    user member account person
    person people individual human
    student pupil learner
    teacher instructor professor lecturer tutor faculty educator
    professor faculty lecturer
    doctor physician surgeon
    patient case
    nurse caregiver
    singer artist vocalist musician performer
    artist musician painter performer band
    band group
    author writer
    writer author novelist screenwriter
    actor actress performer star cast
    director filmmaker
    composer songwriter
    song track tune
    album record disc
    film picture
    book volume title publication
    publication paper article journal
    paper article
    article story post
    journal magazine periodical
    newspaper paper
    publisher press
    document file paper
    photo picture image photograph
    car vehicle automobile auto
    vehicle car truck
    model version
    brand make
    manufacturer producer company make vendor
    aircraft jet
    airline carrier
    flight trip
    trip journey travel ride tour
    ship vessel boat
    train railway
    station stop
    route path line
    destination target
    departure leaving
    origin source
    product item good merchandise article
    item product article
    part component piece
    supplier vendor provider seller
    vendor seller merchant supplier
    merchant seller shop
    order purchase
    purchase buy transaction
    invoice bill
    payment transaction
    transaction transfer
    shipment delivery shipping
    cart basket
    stock inventory
    warehouse depot storage store
    loan credit
    insurance policy coverage
    contract agreement
    lease rental rent
    reservation booking
    appointment visit meeting
    meeting session
    task job assignment
    job occupation profession work position career
    occupation profession job work
    skill ability
    role position function
    rank ranking position place order
    rating score grade stars review
    score point result mark grade
    point score
    grade mark score
    grade level year
    result outcome score
    level degree tier
    degree qualification
    prize award reward
    award prize honor medal
    winner champion victor
    vote ballot
    voter elector
    candidate nominee contender
    party faction
    review rating feedback
    friend buddy companion
    spouse wife husband partner
    child kid son daughter
    parent father mother
    dog puppy
    pet animal
    animal creature
    species kind type
    breed race variety
    disease illness condition sickness
    illness disease
    medicine medication drug
    drug medication medicine
    treatment therapy procedure
    symptom sign
    size dimension area
    area size surface square
    length duration distance
    duration length time runtime period
    height elevation altitude tallness
    elevation altitude height
    weight mass
    speed velocity
    capacity seats size seating
    population inhabitants residents people citizens
    population people
    color hue shade
    date day time
    time hour
    year date season
    yearly annual annually
    season year
    period term duration
    term semester period session
    semester term
    start begin beginning
    end finish
    open opening
    close closing
    birth born
    death die died decease dead
    language tongue
    religion faith
    code id abbreviation
    code symbol abbreviation
    abbreviation acronym code
    identifier id number
    id number code
    key id
    phone contact
    email contact
    login sign_in
    url link website site
    link url
    version release
    device machine
    machine device equipment
    equipment gear
    engine motor
    fuel gas
    temperature heat
    rain precipitation rainfall
    weather climate
    mountain peak summit
    river stream
    island isle
    farm ranch
    food dish meal
    dish food meal
    recipe dish
    flavor taste
    drink beverage
    grape variety
    winery vineyard
    appellation region
    game videogame
    channel station network
    network channel
    broadcast air
    cartoon animation
    audience viewers attendance
    attendance audience turnout visitors crowd
    viewers audience
    hour time
    advisor mentor supervisor
    mentor advisor
    captain leader
    pilot captain
    driver racer
    coach trainer manager
    sponsor backer
    owner proprietor holder
    tenant renter occupant
    resident inhabitant occupant
    citizen inhabitant
    agent representative broker
    officer official
    policeman police officer
    assistant helper
    engineer technician mechanic
    technician mechanic engineer
    scientist researcher
    donor giver
    follower fan
    post tweet message
    tweet post message
    complaint issue
    problem issue fault
    issue problem
    fault defect failure error
    error fault
    reason cause
    cause reason
    accident crash incident
    crime offense
    injury harm
    casualty killed dead
    ward district
    fund budget
    interest rate
    asset property
    share stock
    wealth net_worth fortune
    major field specialty discipline
    field area subject domain
    specialty specialization
    topic subject theme
    theme topic
    tag label keyword
    keyword tag
    feature characteristic property attribute
    characteristic feature attribute trait property
    property attribute
    amenity facility
    facility amenity building
    plan scheme
    program scheme
    schedule timetable
    method way mode means
    mode method type
    distance mile length
    code number
    credit unit point
    hometown birthplace
    hire employ recruit
    """.strip().splitlines()
)  # fmt: skip
"""Words that stand for one another often enough to be considered, never without saying so."""

WIDER: Final[dict[str, tuple[str, ...]]] = {
    line.split(">")[0].strip(): tuple(line.split(">")[1].split())
    for line in """
    location > city address place country state venue region town street county area
    place > city location country venue
    where > location city address place country state region venue town county street
    when > date time year day month timestamp
    who > name
    address > street city line location
    contact > phone email name
    time > hour minute second date timestamp duration
    day > date
    date > year month day timestamp time
    student > enrollment
    pupil > enrollment
    measurement > size height weight length
    size > height weight length area capacity number
    person > customer employee student member user patient people guest
    people > person customer employee student member user patient guest number population
    money > amount price cost salary balance budget
    earn > salary income wage pay earnings revenue money
    make > salary manufacturer
    spend > amount cost price total budget
    cost > price fee
    pay > amount salary price payment
    worth > value price amount wealth market
    title > name
    long > length duration
    length > duration runtime millisecond second minute
    duration > length runtime millisecond second minute
    old > age
    tall > height
    heavy > weight
    big > size area population
    far > distance
    expensive > price cost
    fast > speed
    high > height
    deep > depth
    wide > width
    live > city address residence country location state home
    reside > city address residence country location state
    born > birth
    bear > birth
    locate > location city country address state
    hail > country city hometown nationality
    come > country city hometown nationality origin
    base > city country headquarter location
    call > name
    name > title
    weigh > weight
    speak > language
    work > job company department employer
    major > major department
    teach > course
    hold > capacity
    last > duration length time
    town > hometown
    city > hometown
    """.strip().splitlines()
}  # fmt: skip
"""What a word may be answered by though it does not mean the same: "where" by a city. Weaker than a synonym."""
