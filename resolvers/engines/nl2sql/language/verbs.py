"""Verbs that questions about data are made of."""
# ruff: noqa: E501 - lists of words

from typing import Final

from resolvers.engines.english.vocabulary import words

OUTCOMES: Final = frozenset(("win", "lose", "draw", "tie"))
"""Verbs of which a column may hold how often each happened."""
CONTESTS: Final = frozenset(("game", "match", "race", "bout", "fight", "duel", "set", "round", "contest", "election"))
"""What is won and lost."""

IRREGULAR_VERBS: Final = {
    form: base
    for line in """
    be is are was were am been being
    have has had having
    do does did done doing
    go goes went gone going
    make makes made making
    take takes took taken taking
    give gives gave given giving
    get gets got gotten getting
    come comes came coming
    buy buys bought buying
    sell sells sold selling
    pay pays paid paying
    send sends sent sending
    spend spends spent spending
    hold holds held holding
    keep keeps kept keeping
    leave left
    win wins won winning
    lose loses lost losing
    write writes wrote written writing
    begin begins began begun
    sing sings sang sung singing
    drive drives drove driven driving
    fly flies flew flown flying
    run runs ran running
    teach teaches taught teaching
    bring brings brought bringing
    build builds built
    grow grows grew grown growing
    find finds found
    know knows knew known knowing
    see sees saw seen seeing
    say says said saying
    tell tells told telling
    show shows showed shown showing
    choose chooses chose chosen choosing
    lead led leads leading
    meet meets met
    sit sits sat sitting
    stand stood stands
    speak speaks spoke spoken speaking
    eat eats ate eaten eating
    break breaks broke broken breaking
    fall falls fell fallen falling
    rise rises rose risen rising
    steal steals stole stolen stealing
    wear wears wore worn wearing
    beat beats beaten beating
    lend lends lent lending
    think thinks thought thinking
    mean means meant
    hear hears heard hearing
    feel feels felt feeling
    catch catches caught catching
    fight fights fought fighting
    understand understands understood
    contain contains contained containing
    belong belongs belonged belonging
    die dies died dying
    lie lies lying
    tie tied tying
    use uses used using
    own owns owned owning
    offer offers offered offering
    order orders ordered ordering
    live lived living
    die dies died
    bear bore born
    ship ships shipped
    cost costs costing
    hit hits hitting
    set sets
    put puts putting
    cut cuts cutting
    let lets letting
    quit quits quitting
    read reads
    spread spreads
    ride rides rode ridden riding
    swim swims swam swum
    throw throws threw thrown throwing
    draw draws drew drawn drawing
    shoot shoots shot shooting
    forget forgets forgot forgotten
    undergo undergoes underwent undergone undergoing
    oversee oversees oversaw overseen overseeing
    become becomes became becoming
    exceed exceeds exceeded exceeding
    differ differs differed differing
    occur occurs occurred occurring
    refer refers referred referring
    prefer prefers preferred preferring
    enrol enrols enrolled enrolling
    travel travels travelled traveled travelling traveling
    cancel cancels cancelled canceled cancelling canceling
    label labels labelled labeled
    focus focuses focused focusing
    can could
    may might
    will would
    shall should
    """.strip().splitlines()
    for base, *forms in [line.split()]
    for form in (base, *forms)
} | {"enroll": "enrol", "enrolls": "enrol"}  # fmt: skip
"""The forms of irregular verbs, and of those whose spelling misleads, with their base form."""


def is_participle(word: str) -> bool:
    """Return whether a word, in lower case, has the form of a past participle: `opened`, `born`, `built`."""
    if word.endswith("ed"):
        return True
    return word in IRREGULAR_VERBS and IRREGULAR_VERBS[word] != word and not word.endswith(("s", "ing"))


VERBS: Final = words(
    "cross bring put handle fit owe miss tame fetch gather feature swallow beat "
    "accept acquire act add administer adopt advise affect agree aim allow analyze announce answer appear apply appoint "
    "approve arrange arrive ask assign assist associate attack attend award base bear become believe belong bill book "
    "borrow break build buy calculate call carry cause change charge check choose claim classify close coach collect "
    "combine command compare compete complete compose compute conduct connect consider consist consume contact contain "
    "contribute cook correspond cost count cover create cross customize damage deal decide declare decline decrease "
    "define deliver deny depart depend deposit describe design destroy develop die differ direct discontinue discover "
    "discuss display distribute dock donate double download draft draw drive drop earn educate elect employ enable end "
    "enjoy enter equal establish estimate exceed exclude execute exist expect expire export express extract face fail "
    "fall fill finance finish fire fix fly follow found fund gain generate govern graduate grant group grow guide handle "
    "happen have head help hire host identify import improve include increase indicate influence injure insert inspect "
    "install insure intend introduce invent invest invite involve issue join keep kill know land last launch lead learn "
    "lease leave lend let like limit link list live load locate look lose maintain major make manage manufacture mark "
    "marry match measure mention minor move name need nominate note obtain occupy occur offer open operate order "
    "organize originate own pack paint park participate pass pay perform pick place plan play possess post practice "
    "prefer prepare prescribe present price process produce promote propose provide publish purchase rank rate reach "
    "read receive recommend record redeem reduce refer refund register reject relate release remain remove rent repair "
    "repeat replace report represent request require reserve reside resign resolve respond result retire retrieve return "
    "review ride rise run sail sanction sample save schedule score search select sell send serve settle share ship shop "
    "show sign skip smoke sort speak specialize specify spell spend sponsor staff stand start state stay stop store "
    "study submit subscribe suffer supervise supply support suppose surpass survive take target taste teach test "
    "trade train transact transfer translate transport travel treat try turn type undergo update upload use validate "
    "value vary verify view visit volunteer vote wait walk want watch weigh win work write"
)
"""Base forms, also of regular verbs."""

FAMILIES: Final = tuple(
    frozenset(line.split())
    for line in """
    employ employee employer employment work worker job hire staff
    teach teacher instructor professor lecturer tutor teaching
    study student learner pupil
    enrol enrollment enrolment enroll registration register enlist
    register registration registered registry
    own owner ownership possess belong
    manage manager management head lead leader supervisor
    supervise supervisor supervision manager
    buy buyer purchase customer purchaser order
    sell seller sale vendor sales purchase
    order order purchase
    pay payment payer paid
    ship shipment shipping shipper deliver
    deliver delivery shipment
    produce producer product production manufacturer maker make
    make maker manufacturer produce
    manufacture manufacturer maker producer make
    write writer author written
    author write writer
    compose composer
    direct director direction
    perform performance performer
    act actor actress cast role
    sing singer song
    play player game play
    coach coach trainer
    compete competition competitor contest
    participate participant participation participate attend
    attend attendance attendee participate visit
    visit visitor visit
    fly flight pilot
    travel trip traveler travel passenger
    depart departure leave
    arrive arrival
    leave departure depart
    locate location
    live residence resident reside
    reside residence resident live
    bear birth born
    die death
    born birth
    weigh weight
    cost cost price charge
    charge charge fee price
    earn earnings salary income
    graduate graduation degree
    major major
    advise advisor adviser
    treat treatment
    diagnose diagnosis
    prescribe prescription
    admit admission
    publish publisher publication published
    release release
    review review reviewer rating rate
    rate rating review
    rank rank ranking
    vote vote voter voting
    elect election
    win winner win
    lose loser loss
    score score
    host host hosting
    sponsor sponsor sponsorship
    own owner
    rent rental rent tenant
    lease lease lessee
    reserve reservation booking
    book booking reservation
    borrow borrower loan
    lend loan lender
    insure insurance
    claim claim claimant
    donate donation donor
    fund fund funding
    invest investment investor
    subscribe subscription subscriber
    follow follower follow
    like like
    comment comment
    design designer design
    build builder building construct construction
    construct construction build
    found founder founded foundation establish
    establish establishment found open opening
    open opening open
    close closing closure close
    start start begin beginning
    begin begin start beginning
    end end finish ending
    finish end finish
    create creation creator
    develop developer development
    invent inventor invention
    discover discoverer discovery
    program programmer
    assign assignment
    appoint appointment
    schedule schedule
    serve service serve
    supply supplier supply
    provide provider
    distribute distributor distribution
    contract contract contractor
    transact transaction
    transfer transfer
    withdraw withdrawal
    deposit deposit
    marry marriage married spouse marital
    speak language speaker
    drive driver
    race race racer
    swim swimmer swimming
    dance dancer dance
    paint painter painting
    exhibit exhibition exhibit
    document documentation document
    measure measurement
    inspect inspection inspector
    audit audit auditor
    complain complaint complainant
    injure injury
    kill killed casualty
    attack attack
    govern governor government
    represent representative representation
    report report reporter
    receive receipt recipient
    send sender
    use usage user use
    view view viewer
    watch viewer watch
    listen listener
    train training trainer
    operate operation operator
    retire retirement
    occupy occupation occupancy occupant
    nation nationality national country
    friend friendship
    equip equipment
    certify certificate certification
    license license
    qualify qualification
    specialize specialty specialization
    educate education
    originate origin source
    consume consumption
    perform performance
    spend expense expenditure spending
    hot temperature
    call call
    park parking park
    join join membership
    member membership
    elevate elevation
    wet humidity precipitation
    """.strip().splitlines()
    if line.strip()
)  # fmt: skip
"""Words of which each suggests the others: what somebody does, who does it, and what comes of it."""


def is_kin(verb: str, noun: str) -> bool:
    """Return whether a word says who or what does what a verb says: to buy and a customer, to design and a designer."""
    beginnings = {noun, noun.removesuffix("er"), noun.removesuffix("or"), noun.removesuffix("r")}
    if verb in beginnings or (noun[-2:] in ("er", "or") and noun[-3:-2] == noun[-4:-3] and verb == noun[:-3]):
        return True
    return any(verb in family and noun in family for family in FAMILIES)
