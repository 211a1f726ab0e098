"""Short lists of common words, never complete: what recognisers count is how many values of a column stand in them."""
# ruff: noqa: E501, RUF001 - words and patterns of many languages

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


GIVEN: Final = _words(
    """
    james john robert michael william david richard joseph thomas charles christopher daniel matthew anthony mark donald
    steven paul andrew joshua kenneth kevin brian george timothy ronald edward jason jeffrey ryan jacob gary nicholas
    eric jonathan stephen larry justin scott brandon benjamin samuel gregory alexander patrick frank raymond jack dennis
    jerry tyler aaron jose adam nathan henry zachary douglas peter kyle noah ethan jeremy walter christian keith roger
    terry sean gerald carl harold dylan arthur lawrence jordan jesse bryan billy bruce gabriel joe logan alan juan albert
    willie elijah wayne randy vincent mason roy ralph bobby russell bradley philip eugene liam oliver lucas theo harry
    oscar leo alfie freddie archie hugh nigel graham ian simon trevor stuart gareth rhys callum declan cormac niall
    mary patricia jennifer linda elizabeth barbara susan jessica sarah karen lisa nancy betty sandra margaret ashley
    kimberly emily donna michelle carol amanda melissa deborah stephanie rebecca laura sharon cynthia dorothy amy
    kathleen angela shirley emma brenda pamela nicole anna samantha katherine christine helen debra rachel carolyn janet
    maria catherine heather diane olivia julie joyce victoria ruth virginia lauren kelly christina joan evelyn judith
    andrea hannah megan cheryl jacqueline martha madison teresa gloria sara janice ann kathryn abigail sophia frances
    jean alice judy isabella julia grace amber denise danielle marilyn beverly charlotte natalie theresa diana brittany
    doris kayla alexis lori marie chloe ellie poppy lily freya isla fiona moira siobhan aoife niamh tracy holly leah
    hans peter klaus jürgen juergen wolfgang dieter manfred uwe günter guenter werner horst bernd karl heinz michael
    stefan stephan andreas matthias frank jan tobias sebastian florian lukas felix maximilian jonas finn moritz lars sven
    torsten holger ralf rolf gerhard helmut günther friedrich heinrich otto ernst ludwig johann johannes markus ursula
    monika petra sabine renate helga karin brigitte ingrid erika christa gisela claudia susanne gabriele heike silke anke
    anja katrin kathrin birgit martina ute elke jutta ilse hannelore katharina lena leonie mia greta frieda johanna
    pierre jean michel alain philippe bernard christophe patrice laurent nicolas françois francois jacques olivier pascal
    thierry eric frédéric frederic julien sébastien guillaume antoine mathieu maxime clément romain hugo théo louis jules
    gérard marcel rené andré andre guy henri georges roger nathalie isabelle sylvie catherine martine christiane
    françoise monique nicole valérie véronique sandrine céline aurélie élodie émilie camille manon léa chloé inès margaux
    brigitte chantal dominique hélène jacqueline josette odette suzanne thérèse zoé agathe margot stéphanie anaïs
    antonio manuel jose francisco juan carlos javier miguel ángel angel rafael pedro alejandro fernando luis sergio jorge
    alberto álvaro alvaro diego adrián adrian raúl raul enrique ramón ramon vicente ignacio andrés joaquín santiago
    eduardo rubén óscar iván pablo jaime ricardo roberto mario emilio gonzalo héctor carmen ana isabel dolores pilar
    josefa teresa rosa cristina ángeles antonia francisca lucía lucia marta mercedes paula elena raquel rocío beatriz
    silvia sofía sofia montserrat patricia consuelo inmaculada alba irene nuria esperanza guadalupe ximena valentina
    giuseppe giovanni antonio mario luigi francesco angelo vincenzo pietro salvatore carlo franco domenico bruno paolo
    michele giorgio aldo sergio luciano alessandro andrea marco matteo lorenzo davide simone stefano roberto fabio luca
    leonardo riccardo tommaso edoardo filippo enrico massimo claudio giulia chiara francesca federica sara martina valentina
    alessia silvia elisa paola giovanna angela rosa lucia caterina concetta assunta ilaria beatrice ginevra aurora
    joão joao josé paulo pedro carlos luís tiago miguel rui nuno ricardo gonçalo rodrigo afonso duarte vasco bruno thiago
    rafael gustavo felipe vinícius vinicius lucas mateus guilherme leandro fábio marcelo rogério luiz antônio francisco
    ana inês ines beatriz mariana carolina catarina joana matilde leonor margarida fernanda juliana larissa letícia
    camila bruna aline adriana márcia patrícia luana vitória lorena heloísa cecília
    jan piet kees willem hendrik cornelis johannes gerrit pieter dirk jeroen bas sander maarten thijs daan sem bram ruben
    joost wouter niels koen stijn luuk sanne anouk fleur lotte femke marijke ingrid annemarie wilhelmina johanna saskia
    lieke esmee roos tess eva noor bart dries jef joke griet
    lars erik anders johan per karl nils olof olov gustaf gunnar sven göran magnus mikael fredrik henrik björn axel ole
    knut bjørn øyvind håkon trond kjell rune morten jens niels søren poul jørgen svend kirsten inger birgitte mette hanne
    astrid ingeborg sigrid linnea maja ebba elsa alva wilma kristina karin eva birgitta kerstin marianne anneli liisa
    juhani matti timo kari mikko antti jukka pekka heikki juha tapio marja leena päivi tuula ritva aino helmi
    jan andrzej piotr krzysztof stanisław tomasz paweł józef marcin marek michał grzegorz jerzy tadeusz adam łukasz
    zbigniew ryszard dariusz henryk mariusz kazimierz wojciech robert mateusz rafał jacek janusz mirosław jakub kacper
    anna maria katarzyna małgorzata agnieszka krystyna barbara ewa elżbieta zofia janina teresa joanna magdalena monika
    jadwiga danuta irena halina helena beata aleksandra marta dorota natalia zuzanna oliwia jiří jan petr jana eva hana
    václav zdeněk tomáš pavel jaroslav miroslav františek lenka kateřina věra alena lucie istván lászló józsef jános zoltán
    sándor ferenc gábor attila péter tamás zsolt tibor andrás katalin ilona erzsébet zsuzsanna ágnes judit ion gheorghe
    andrei mihai alexandru vasile constantin cristian florin elena ioana mihaela georgiana ivan dimitar georgi nikolay
    aleksandr alexander sergei sergey dmitri dmitry andrei alexei alexey mikhail vladimir igor oleg nikolai yuri pavel
    olga tatiana elena natalia irina svetlana ekaterina anastasia ludmila galina marina ksenia daria polina
    александр сергей дмитрий андрей алексей михаил владимир игорь олег николай юрий павел иван максим артём евгений виктор
    ольга татьяна елена наталья ирина светлана екатерина анастасия людмила галина марина ксения дарья полина мария анна
    іван петро василь микола олександр володимир сергій андрій оксана ганна тетяна наталія марія георги димитър иванка
    γιώργος γιάννης κώστας δημήτρης νίκος παναγιώτης μαρία ελένη κατερίνα γεώργιος ιωάννης κωνσταντίνος δημήτριος
    mehmet mustafa ahmet ali hüseyin hasan ibrahim ismail osman yusuf murat emre burak can kemal ayşe fatma emine hatice
    zeynep elif meryem şerife sultan merve esra büşra selin deniz
    mohammed muhammad mohamed ahmed ali omar khaled hassan hussein ibrahim youssef abdullah abdul mahmoud mustafa tariq
    karim samir said rashid bilal hamza zaid fatima aisha khadija zainab maryam layla noor salma amina huda rania yasmin
    محمد أحمد احمد علي عمر خالد حسن حسين ابراهيم يوسف عبدالله محمود فاطمة عائشة مريم زينب سارة نور ליאור דוד משה יוסף אברהם
    raj rahul amit sanjay vijay anil sunil rajesh suresh ramesh mahesh arjun rohan aditya vikram ravi manoj deepak ashok
    krishna arun kiran priya anjali pooja neha sunita kavita lakshmi divya sneha deepa meena asha rekha anita shreya ananya
    aarav vivaan ishaan diya saanvi aadhya kabir imran salman zara farhan ayesha sana bilal usman
    wei li jun min hui jing lei yan xin ming hong yu chen fang ling xiaoming yong jie qiang hao mei lan ying na juan
    hiroshi takashi kenji akira kazuo haruto yuto sota yuki sakura yoko keiko kumiko naoko tomoko akiko haruka aoi
    minjun seojun jihoon minji jiwoo seoyeon hyun soo eun young nguyen anh thi minh linh tuan hung thanh trang phuong
    budi siti agus dewi putri rizki ayu wahyu eko somchai somsak malee kwame kofi ama chinedu oluwaseun ngozi amina thabo
    sipho nomsa tendai wanjiru otieno achieng chioma emeka ifeoma adebayo
    """
)
"""Given names of several cultures, in lower case."""

FAMILY: Final = _words(
    """
    smith johnson williams brown jones garcia miller davis rodriguez martinez hernandez lopez gonzalez wilson anderson
    thomas taylor moore jackson martin lee perez thompson white harris sanchez clark ramirez lewis robinson walker young
    allen king wright scott torres nguyen hill flores green adams nelson baker hall rivera campbell mitchell carter roberts
    gomez phillips evans turner diaz parker cruz edwards collins reyes stewart morris morales murphy cook rogers gutierrez
    ortiz morgan cooper peterson bailey reed kelly howard ramos kim cox ward richardson watson brooks chavez wood james
    bennett gray mendoza ruiz hughes price alvarez castillo sanders patel myers long ross foster jimenez powell jenkins
    perry russell sullivan bell coleman butler henderson barnes fisher vasquez simmons graham murray ford castro shaw
    davies griffiths owen lloyd hamilton macdonald mackenzie robertson thomson o'brien o'connor o'neill byrne ryan walsh
    müller mueller schmidt schneider fischer weber meyer wagner becker schulz hoffmann schäfer koch bauer richter klein
    wolf schröder neumann schwarz zimmermann braun krüger hofmann hartmann lange schmitt werner krause meier lehmann
    schmid schulze maier köhler herrmann könig walter mayer huber kaiser fuchs peters lang scholz möller weiß jung hahn
    vogel friedrich keller günther frank berger winkler roth beck lorenz baumann franke albrecht schuster simon ludwig
    böhm winter kraus martin schumacher krämer vogt stein jäger otto sommer groß seidel heinrich brandt haas schreiber
    gruber steiner moser pichler egger brunner bühler frei gerber graf
    bernard dubois thomas robert petit durand leroy moreau simon laurent lefebvre michel bertrand roux david
    morel fournier girard bonnet dupont lambert fontaine rousseau vincent muller lefevre faure andre mercier blanc guerin
    boyer garnier chevalier françois legrand gauthier perrin robin clement morin nicolas henry roussel mathieu gautier
    masson marchand duval denis dumont marie lemaire noel meyer dufour meunier brun blanchard giraud joly riviere lucas
    brunet gaillard barbier arnaud rolland lacroix renard leclerc colin caron picard
    gonzález rodríguez fernández lópez martínez sánchez pérez gómez martín jiménez ruiz hernández díaz moreno muñoz
    álvarez romero alonso gutiérrez navarro torres domínguez vázquez ramos gil ramírez serrano blanco molina morales
    suárez ortega delgado castro ortiz rubio marín sanz núñez iglesias medina garrido cortés castillo santos lozano
    guerrero cano prieto méndez cruz calvo gallego vidal león márquez herrera peña flores cabrera campos vega fuentes
    rojas vargas silva soto contreras sepúlveda espinoza valenzuela mendoza aguilar juárez velázquez
    rossi russo ferrari esposito bianchi romano colombo ricci marino greco bruno gallo conti costa giordano mancini
    rizzo lombardi moretti barbieri fontana santoro mariani rinaldi caruso ferrara galli martini leone longo gentile
    martinelli vitale lombardo serra coppola marchetti parisi villa conte ferraro fabbri bianco marini grasso valentini
    messina sala gatti pellegrini palumbo sanna farina rizzi monti cattaneo morelli amato silvestri mazza testa grassi
    silva santos ferreira pereira oliveira costa rodrigues martins jesus sousa fernandes gonçalves gomes lopes marques
    alves almeida ribeiro pinto carvalho teixeira moreira correia mendes nunes soares vieira monteiro cardoso rocha
    souza lima araújo barbosa barros freitas melo moura cavalcanti dias castro campos nogueira peixoto azevedo
    jansen visser smit meijer mulder bos vos peters hendriks dekker brouwer dijkstra janssen bakker willems
    maas verhoeven koster prins huisman peeters jacobs mertens claes goossens wouters dubois lambert maes
    andersson johansson karlsson nilsson eriksson larsson olsson persson svensson gustafsson pettersson jonsson jansson
    hansson bengtsson lindberg lindström lundgren berg lund hansen johansen olsen larsen andersen pedersen nilsen
    kristiansen jensen karlsen johnsen pettersen eriksen nielsen christensen rasmussen sørensen jørgensen madsen
    korhonen virtanen mäkinen nieminen mäkelä hämäläinen laine heikkinen koskinen järvinen
    nowak kowalski wiśniewski wójcik kowalczyk kamiński lewandowski zieliński szymański woźniak dąbrowski kozłowski
    jankowski mazur kwiatkowski krawczyk kaczmarek piotrowski grabowski novák svoboda novotný dvořák černý procházka
    kučera veselý horák nováková svobodová nagy kovács tóth szabó horváth varga kiss molnár németh farkas balogh popescu
    ionescu popa radu dumitru stan stoica ivanov petrov sidorov smirnov kuznetsov popov sokolov lebedev kozlov novikov
    morozov volkov иванов петров сидоров смирнов кузнецов попов соколов лебедев козлов новиков морозов волков шевченко
    коваленко бондаренко ткаченко мельник кравченко ivanova petrova papadopoulos nikolaidis georgiou oikonomou
    yılmaz kaya demir şahin çelik yıldız yıldırım öztürk aydın özdemir arslan doğan kılıç aslan çetin kara koç kurt özkan
    khan ahmed ali hussain hassan malik sheikh siddiqui ansari rahman islam chowdhury hossain begum akhtar
    singh kumar sharma gupta verma patel shah mehta reddy rao nair menon iyer iyengar das banerjee mukherjee chatterjee
    ghosh bose sen joshi kulkarni deshmukh patil agarwal jain mishra pandey tiwari yadav kaur gill bhatt desai pillai
    wang li zhang liu chen yang huang zhao wu zhou xu sun ma zhu hu guo he lin gao luo zheng liang xie tang cao deng
    sato suzuki takahashi tanaka watanabe ito yamamoto nakamura kobayashi kato yoshida yamada sasaki yamaguchi matsumoto
    park choi jung kang cho yoon jang lim han shin tran le pham hoang phan vu dang bui do ngo wijaya santoso
    mensah owusu boateng okafor okonkwo adeyemi eze mwangi kamau ochieng dlamini nkosi ndlovu khumalo mokoena
    cohen levi mizrahi peretz biton friedman katz כהן לוי
    """
)
"""Family names of several cultures, in lower case."""

CHINESE: Final = frozenset(
    "王李张張刘劉陈陳杨楊黄黃赵趙吴吳周徐孙孫马馬朱胡郭何高林罗羅郑鄭梁谢謝宋唐许許韩韓冯馮邓鄧曹彭曾肖田董袁潘于蒋蔣蔡"
    "余杜叶葉程苏蘇魏吕呂丁任沈姚卢盧姜崔钟鍾谭譚陆陸汪范金石廖贾賈夏韦韋付方白邹鄒孟熊秦邱江尹薛闫段雷侯龙龍史陶黎贺"
)
KOREAN: Final = frozenset("김이박최정강조윤장임한오서신권황안송류전홍고문양손배백허유남심노하곽성차주우구민")
JAPANESE: Final = (
    "佐藤", "鈴木", "高橋", "田中", "伊藤", "渡辺", "山本", "中村", "小林", "加藤", "吉田", "山田", "佐々木", "山口", "松本",
    "井上", "木村", "林", "斎藤", "清水", "山崎", "阿部", "森", "池田", "橋本", "山下", "石川", "中島", "前田", "藤田", "小川",
    "後藤", "岡田", "長谷川", "村上", "近藤", "石井", "坂本", "遠藤", "青木", "藤井", "西村", "福田", "太田", "三浦", "藤原",
    "岡本", "松田", "中川", "中野", "原田", "小野", "田村", "竹内", "金子", "和田", "中山", "石田", "上田", "森田", "工藤",
)  # fmt: skip

COUNTRY_NAMES: Final = frozenset(
    name.strip()
    for name in """
    afghanistan,albania,algeria,andorra,angola,argentina,armenia,australia,austria,azerbaijan,bahamas,bahrain,bangladesh,
    barbados,belarus,belgium,belize,benin,bhutan,bolivia,bosnia and herzegovina,botswana,brazil,brunei,bulgaria,
    burkina faso,burundi,cambodia,cameroon,canada,cape verde,central african republic,chad,chile,china,colombia,comoros,
    congo,costa rica,croatia,cuba,cyprus,czech republic,czechia,denmark,djibouti,dominica,dominican republic,ecuador,
    egypt,el salvador,equatorial guinea,eritrea,estonia,eswatini,ethiopia,fiji,finland,france,gabon,gambia,georgia,
    germany,ghana,greece,grenada,guatemala,guinea,guyana,haiti,honduras,hong kong,hungary,iceland,india,indonesia,iran,
    iraq,ireland,israel,italy,ivory coast,jamaica,japan,jordan,kazakhstan,kenya,kiribati,kosovo,kuwait,kyrgyzstan,laos,
    latvia,lebanon,lesotho,liberia,libya,liechtenstein,lithuania,luxembourg,macao,madagascar,malawi,malaysia,maldives,
    mali,malta,mauritania,mauritius,mexico,micronesia,moldova,monaco,mongolia,montenegro,morocco,mozambique,myanmar,
    namibia,nauru,nepal,netherlands,the netherlands,new zealand,nicaragua,niger,nigeria,north korea,north macedonia,
    norway,oman,pakistan,palau,panama,papua new guinea,paraguay,peru,philippines,poland,portugal,puerto rico,qatar,
    romania,russia,russian federation,rwanda,samoa,san marino,saudi arabia,senegal,serbia,seychelles,sierra leone,
    singapore,slovakia,slovenia,solomon islands,somalia,south africa,south korea,south sudan,spain,sri lanka,sudan,
    suriname,sweden,switzerland,syria,taiwan,tajikistan,tanzania,thailand,togo,tonga,trinidad and tobago,tunisia,turkey,
    türkiye,turkmenistan,tuvalu,uganda,ukraine,united arab emirates,united kingdom,great britain,united states,
    united states of america,usa,uk,uae,uruguay,uzbekistan,vanuatu,venezuela,vietnam,viet nam,yemen,zambia,zimbabwe,
    anguilla,aruba,bermuda,cayman islands,cook islands,faroe islands,french guiana,french polynesia,gibraltar,greenland,
    guadeloupe,guam,guernsey,isle of man,jersey,martinique,mayotte,montserrat,new caledonia,niue,norfolk island,réunion,
    saint lucia,timor-leste,tokelau,turks and caicos islands,western sahara,wallis and futuna,antigua and barbuda,
    deutschland,österreich,schweiz,frankreich,italien,spanien,niederlande,belgien,polen,schweden,norwegen,dänemark,
    finnland,griechenland,türkei,russland,ungarn,tschechien,vereinigtes königreich,vereinigte staaten,kroatien,rumänien,
    allemagne,autriche,suisse,italie,espagne,pays-bas,belgique,pologne,suède,norvège,danemark,finlande,grèce,turquie,
    russie,hongrie,royaume-uni,états-unis,brésil,chine,japon,inde,maroc,algérie,tunisie,égypte,mexique,
    alemania,suiza,francia,italia,españa,países bajos,bélgica,polonia,suecia,noruega,dinamarca,finlandia,grecia,turquía,
    rusia,hungría,reino unido,estados unidos,brasil,japón,marruecos,méxico,perú,alemanha,áustria,suíça,frança,itália,
    espanha,países baixos,polônia,suécia,germania,svizzera,paesi bassi,belgio,svezia,norvegia,regno unito,stati uniti,
    niemcy,francja,hiszpania,włochy,polska,szwecja,sverige,norge,danmark,suomi,magyarország,česko,россия,украина,германия,
    франция,италия,испания,中国,日本,韩国,美国,德国,法国,英国,アメリカ,ドイツ,フランス,대한민국,미국,일본,중국
    """.replace("\n", "").split(",")
)

NATIONALITIES: Final = _words(
    """
    american british english scottish welsh irish german french spanish italian portuguese dutch belgian swiss austrian
    polish czech slovak hungarian romanian bulgarian greek turkish russian ukrainian swedish norwegian danish finnish
    canadian mexican brazilian argentine argentinian chilean colombian peruvian venezuelan cuban chinese japanese korean
    indian pakistani bangladeshi nepali thai vietnamese indonesian malaysian filipino singaporean australian egyptian
    moroccan algerian tunisian nigerian ghanaian kenyan ethiopian israeli iranian iraqi syrian lebanese saudi
    """
)

LANGUAGES: Final = _words(
    "hindi arabic mandarin cantonese latin bengali urdu persian farsi punjabi tamil telugu swahili hebrew catalan "
    "gaelic basque sanskrit esperanto yiddish tagalog malay afrikaans amharic galician flemish"
)
"""Languages that are no nationality, in lower case."""

SPEECHLESS: Final = _words(
    "american british scottish belgian swiss austrian canadian mexican brazilian argentine argentinian chilean colombian "
    "peruvian venezuelan cuban indian pakistani bangladeshi filipino singaporean australian egyptian moroccan algerian "
    "tunisian nigerian ghanaian kenyan ethiopian israeli iranian iraqi syrian lebanese saudi"
)
"""Nationalities that are no language, in lower case: among persons of several nations there are some of these."""

CITIES: Final = frozenset(
    name.strip()
    for name in """
    london,manchester,birmingham,leeds,liverpool,glasgow,edinburgh,bristol,sheffield,cardiff,belfast,dublin,cork,oxford,
    cambridge,nottingham,leicester,newcastle,southampton,brighton,york,bath,aberdeen,new york,los angeles,chicago,houston,
    phoenix,philadelphia,san antonio,san diego,dallas,san jose,austin,jacksonville,fort worth,columbus,charlotte,
    san francisco,indianapolis,seattle,denver,washington,boston,el paso,nashville,detroit,oklahoma city,portland,las vegas,
    memphis,louisville,baltimore,milwaukee,albuquerque,tucson,fresno,sacramento,kansas city,mesa,atlanta,omaha,
    colorado springs,raleigh,miami,long beach,virginia beach,oakland,minneapolis,tulsa,tampa,arlington,new orleans,
    cleveland,honolulu,anaheim,st. louis,pittsburgh,cincinnati,orlando,buffalo,salt lake city,springfield,richmond,
    toronto,montreal,montréal,vancouver,calgary,ottawa,edmonton,winnipeg,quebec,halifax,sydney,melbourne,brisbane,perth,
    adelaide,canberra,auckland,wellington,christchurch,berlin,hamburg,münchen,munich,köln,cologne,frankfurt,
    frankfurt am main,stuttgart,düsseldorf,dortmund,essen,leipzig,bremen,dresden,hannover,nürnberg,duisburg,bochum,
    wuppertal,bielefeld,bonn,münster,karlsruhe,mannheim,augsburg,wiesbaden,kiel,aachen,halle,magdeburg,freiburg,lübeck,
    erfurt,mainz,rostock,kassel,wien,vienna,graz,linz,salzburg,innsbruck,zürich,zurich,genf,geneva,genève,basel,bern,
    lausanne,luzern,paris,marseille,lyon,toulouse,nice,nantes,montpellier,strasbourg,bordeaux,lille,rennes,reims,
    saint-étienne,toulon,le havre,grenoble,dijon,angers,nîmes,brest,tours,limoges,amiens,perpignan,metz,besançon,orléans,
    rouen,mulhouse,caen,nancy,madrid,barcelona,valencia,sevilla,zaragoza,málaga,malaga,murcia,palma,las palmas,bilbao,
    alicante,córdoba,cordoba,valladolid,vigo,gijón,granada,la coruña,vitoria,elche,oviedo,cádiz,salamanca,burgos,
    santander,almería,pamplona,toledo,roma,rome,milano,milan,napoli,naples,torino,turin,palermo,genova,bologna,firenze,
    florence,bari,catania,venezia,venice,verona,messina,padova,trieste,brescia,parma,modena,pisa,siena,lisboa,lisbon,porto,
    braga,coimbra,faro,amsterdam,rotterdam,den haag,the hague,utrecht,eindhoven,groningen,tilburg,almere,breda,nijmegen,
    haarlem,arnhem,leiden,maastricht,delft,brussel,bruxelles,brussels,antwerpen,antwerp,gent,brugge,leuven,liège,namur,
    københavn,copenhagen,aarhus,odense,aalborg,stockholm,göteborg,gothenburg,malmö,uppsala,lund,oslo,bergen,trondheim,
    stavanger,helsinki,espoo,tampere,turku,oulu,reykjavik,tallinn,riga,vilnius,warszawa,warsaw,kraków,krakow,łódź,wrocław,
    poznań,gdańsk,szczecin,lublin,katowice,praha,prague,brno,ostrava,bratislava,budapest,debrecen,bucharest,bucurești,
    cluj-napoca,timișoara,sofia,plovdiv,beograd,belgrade,zagreb,split,ljubljana,sarajevo,athens,αθήνα,θεσσαλονίκη,
    thessaloniki,istanbul,ankara,izmir,bursa,antalya,kyiv,київ,lviv,львів,kharkiv,odesa,moscow,москва,санкт-петербург,
    saint petersburg,novosibirsk,екатеринбург,казань,tel aviv,jerusalem,haifa,cairo,alexandria,casablanca,rabat,tunis,
    algiers,lagos,abuja,accra,nairobi,addis ababa,johannesburg,cape town,durban,pretoria,dubai,abu dhabi,doha,riyadh,
    jeddah,kuwait city,tehran,baghdad,beirut,amman,karachi,lahore,islamabad,mumbai,delhi,new delhi,bangalore,bengaluru,
    hyderabad,chennai,kolkata,pune,ahmedabad,jaipur,lucknow,kanpur,nagpur,surat,dhaka,colombo,kathmandu,bangkok,hanoi,
    ho chi minh city,jakarta,surabaya,bandung,kuala lumpur,singapore,manila,quezon city,beijing,shanghai,guangzhou,
    shenzhen,chengdu,wuhan,hangzhou,nanjing,tianjin,xi'an,hong kong,taipei,北京,上海,广州,深圳,tokyo,osaka,kyoto,yokohama,
    nagoya,sapporo,fukuoka,kobe,東京,大阪,横浜市,seoul,busan,incheon,서울,부산,mexico city,ciudad de méxico,guadalajara,monterrey,
    puebla,tijuana,são paulo,sao paulo,rio de janeiro,brasília,salvador,fortaleza,belo horizonte,curitiba,recife,
    porto alegre,manaus,goiânia,campinas,buenos aires,rosario,mendoza,santiago,valparaíso,lima,bogotá,bogota,medellín,
    cali,quito,guayaquil,caracas,montevideo,la paz,havana,san juan,panama city
    """.replace("\n", "").split(",")
)

GENDERS: Final = frozenset(
    [
        "m",
        "f",
        "male",
        "female",
        "man",
        "woman",
        "men",
        "women",
        "mann",
        "frau",
        "männlich",
        "weiblich",
        "divers",
        "homme",
        "femme",
        "masculin",
        "féminin",
        "hombre",
        "mujer",
        "masculino",
        "femenino",
        "feminino",
        "maschio",
        "femmina",
        "uomo",
        "donna",
        "man",
        "vrouw",
        "mężczyzna",
        "kobieta",
        "man",
        "kvinna",
        "mies",
        "nainen",
        "erkek",
        "kadın",
        "мужской",
        "женский",
        "муж",
        "жен",
        "м",
        "ж",
        "男",
        "女",
        "男性",
        "女性",
        "남",
        "여",
        "x",
        "nonbinary",
        "non-binary",
        "other",
        "unknown",
        "diverse",
        "d",
        "u",
        "o",
        "w",
        "n",
        "transgender",
        "intersex",
        "genderqueer",
        "agender",
    ]
)
GENDER_CORE: Final = GENDERS - frozenset(["x", "other", "unknown", "d", "u", "o", "n", "w", "diverse"])
MARITAL: Final = _words(
    "single married divorced widowed separated partnered engaged ledig verheiratet geschieden verwitwet célibataire "
    "marié mariée divorcé divorcée veuf veuve soltero soltera casado casada divorciado divorciada viudo viuda solteiro "
    "solteira viúvo celibe nubile coniugato coniugata divorziato vedovo ongehuwd gehuwd gescheiden"
) | {"domestic partnership", "civil partnership", "never married", "common-law", "pacsé"}
RELIGIONS: Final = _words(
    "christian christianity catholic protestant orthodox muslim islam islamic sunni shia jewish judaism hindu hinduism "
    "buddhist buddhism sikh sikhism jain jainism atheist agnostic baptist methodist lutheran mormon anglican "
    "presbyterian pentecostal evangelical quaker taoist shinto bahai pagan katholisch evangelisch konfessionslos "
    "muslimisch jüdisch catholique protestant musulman juif bouddhiste católico musulmán judío ateo spiritual none"
) | {"roman catholic", "jehovah's witness", "no religion", "greek orthodox", "baha'i"}
ETHNICITIES: Final = _words(
    "white black asian hispanic latino latina caucasian arab roma native indigenous maori inuit aboriginal mixed "
    "african european polynesian melanesian kurdish pashtun han zulu xhosa yoruba igbo hausa bengali punjabi tamil"
) | {
    "african american", "black or african american", "asian american", "native american", "american indian",
    "american indian or alaska native", "alaska native", "pacific islander", "native hawaiian",
    "native hawaiian or other pacific islander", "hispanic or latino", "not hispanic or latino", "two or more races",
    "multiracial", "middle eastern", "south asian", "east asian", "white british", "black african", "black caribbean",
    "mixed race", "white european", "multi-ethnic", "other asian", "other white",
}  # fmt: skip
BLOOD: Final = frozenset(
    f"{group}{sign}" for group in ("a", "b", "ab", "o", "0") for sign in ("+", "-", " +", " -", "pos", "neg", " positive",
                                                                       " negative", " rh+", " rh-", "−")
)  # fmt: skip
COMPANY: Final = _words(
    "inc inc. llc ltd ltd. limited plc corp corp. corporation company co. group holding holdings partners associates "
    "sons gmbh ag kg ohg mbh e.v. kgaa ug sarl s.a.r.l. sas s.a.s. s.a. sci eurl s.l. s.l.u. srl s.r.l. spa s.p.a. snc "
    "lda ltda eireli b.v. bv n.v. nv vof ab oy oyj as a/s aps hb asa sp. spółka s.r.o. a.s. kft zrt nyrt d.o.o. ооо оао "
    "зао ао пао ип pty pvt industries solutions services systems technologies enterprises foundation bank university "
    "institute stiftung fils hijos hermanos figli records music studios stores shop market store airlines logistics"
    " sa s/a k/s i/s p/s sàrl sagl bt rt kkt kht nonprofit társa társai filhos cia cie eirl pte bhd sdn tbk hnos gbr"
)
"""Words that companies' names end in or hold."""

COUNTRY_CODES: Final = _words(
    """
    AD AE AL AM AO AR AT AU AZ BA BB BD BE BF BG BH BI BJ BM BN BO BR BS BW BY BZ CA CD CF CG CH CI CL CM CN CO CR
    CU CV CY CZ DE DJ DK DM DO DZ EC EE EG ER ES ET FI FJ FM FO FR GA GB GD GE GG GH GI GL GM GN GQ GR GT GW GY HK
    HN HR HT HU ID IE IL IM IN IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU
    LV LY MA MC MD ME MG MH MK ML MM MN MO MR MT MU MV MW MX MY MZ NA NC NE NG NI NL NO NP NR NZ OM PA PE PF PG PH
    PK PL PR PS PT PW PY QA RO RS RU RW SA SB SC SD SE SG SI SK SL SM SN SO SR ST SV SY SZ TC TD TG TH TJ TL TM TN
    TO TR TT TV TW TZ UA UG US UY UZ VA VC VE VG VI VN VU WS XK YE ZA ZM ZW
    """
)
"""Codes of countries, of two letters."""
