/**
 * What people of the shop's countries think of first, without accents: greetings, love, family, seasons, animals,
 * places, clubs, cars, and the word for password itself. Together with digits and signs they are the first guesses. What is
 * common in the list of leaks as well need not be here.
 */
export const FIRST_WORDS: ReadonlySet<string> = new Set(
  `bonjour bonsoir bienvenue salut coucou merci motdepasse secret soleil etoile lune amour monamour jetaime cherie cheri
  chouchou doudou loulou bebe coeur bisous bisou famille maman papa mamie papy enfant princesse prince ange liberte
  bonheur chance joie espoir printemps automne hiver ete noel vacances weekend janvier fevrier mars avril juin juillet
  aout septembre octobre novembre decembre lundi mardi mercredi jeudi vendredi samedi dimanche chat chaton chien lapin
  cheval poisson tigre dauphin loup ours papillon fleur chocolat fromage camembert croissant orange citron framboise
  paris lyon marseille toulouse bordeaux lille nantes nice strasbourg bruxelles liege namur france belgique luxembourg
  football foot peugeot renault citroen bugatti maison jardin cuisine bureau ordinateur internet

  welkom hallo goedemorgen goedenavond dankjewel wachtwoord geheim liefde schatje schat lieverd liefje moppie knuffel
  kusje familie mama moeder vader oma opa kindje zonnetje zon sterren zomer lente herfst winter kerstmis vakantie januari
  februari maart april mei juni juli augustus september oktober november december maandag dinsdag woensdag donderdag
  vrijdag zaterdag zondag poes kat katje hond hondje konijn paard vogel vlinder leeuw tijger dolfijn beer bloem bloemetje
  chocolade stroopwafel appeltaart frietjes amsterdam rotterdam denhaag utrecht eindhoven groningen antwerpen gent brugge
  leuven nederland holland belgie vlaanderen voetbal ajax feyenoord psv anderlecht brussel huis tuin keuken kantoor computer
  gezellig lekker prachtig

  willkommen guten gutentag danke passwort kennwort geheimnis schatz schatzi liebling liebe ichliebedich engel sonne
  sonnenschein stern sterne mond sommer fruhling fruehling herbst weihnachten urlaub januar februar marz maerz juni juli
  oktober dezember montag dienstag mittwoch donnerstag freitag samstag sonntag katze kater hund hase pferd schmetterling
  delfin bar blume schokolade berlin hamburg munchen muenchen koln koeln frankfurt stuttgart dusseldorf duesseldorf
  deutschland bayern dortmund schalke fussball mercedes porsche volkswagen audi opel garten kuche mutter vater oma opa

  welcome hello goodmorning thanks password passcode secret sunshine sunny star love lovely iloveyou sweetheart darling
  honey baby angel family mother father mom daddy princess freedom happy happiness lucky hope summer spring autumn
  christmas holiday holidays weekend january february march july august october december monday tuesday wednesday thursday
  friday saturday sunday kitty cat dog puppy rabbit horse tiger lion dolphin butterfly dragon monkey flower chocolate cookie
  pizza london manchester liverpool chelsea arsenal england ireland scotland europe football soccer ferrari lamborghini
  tesla toyota house garden kitchen office computer letmein changeme default master superman batman pokemon starwars
  iphone samsung google facebook paypal bancontact venmo

  toulon rennes grenoble montpellier reims dijon angers brest lens metz nancy monaco bretagne normandie provence corse
  alsace guadeloupe martinique reunion maroc algerie tunisie portugal italie espagne charleroi mons tournai wavre hasselt
  genk mechelen aalst kortrijk oostende breda tilburg arnhem nijmegen haarlem maastricht zwolle leiden delft friesland
  zeeland brabant limburg leipzig dresden hannover bremen nurnberg wien zurich geneve barcelona madrid roma milano lisboa
  newyork losangeles california america canada australia
  psg asse racing standard clubbrugge sportingclub realmadrid juventus bvb hsv werder hertha leverkusen everton tottenham
  spurs celtic rangers rugby tennis cyclisme wielrennen schaatsen basketball judo
  minou minette toutou nounours pitchoune puce poupette biche boubou titi tintin asterix obelix gribouille caramel vanille
  noisette cannelle praline reglisse pistache poesje beertje muisje snoepje schattebout liefste liefhebben engeltje
  mausi mausebar hasi spatz schnucki bella luna simba nala rocky max milo charly charlie buddy oscar felix tommy snoopy
  garfield minnie mickey donald pikachu naruto zelda mario fortnite minecraft roblox barbie spiderman hogwarts harrypotter
  vertrouwen geluk droom hoop vrijheid leven wereld muziek dansen fiets fietsen boot strand zee bergen bos boom
  musique guitare danse plage soleils montagne voyage voiture velo moto reve etoiles monde nature merde putain connard
  kut klote godverdomme scheisse freiheit gluck leben musik strand traum welt
  motdepasses monmotdepasse mdp passe code codesecret ouvretoi wachtwoorden mijnwachtwoord ww toegang inloggen inlog
  meinpasswort zugang anmelden passw passwd pass login inscription connexion compte client test tests testen essai
  temporaire tijdelijk provisoire temp nouveau nieuw neues changer veranderen verander changemoi
  rouge bleu vert jaune noir blanc rose violet rood blauw groen geel zwart wit oranje paars rot blau grun gelb schwarz
  printempsete voorjaar najaar fruhjahr saison`.split(/\s+/),
)

/** First names of the shop's countries, of several generations, without accents: with a year they are the next guesses. */
export const FIRST_NAMES: ReadonlySet<string> = new Set(
  `marie jeanne francoise monique catherine nathalie isabelle jacqueline sylvie martine nicole christine valerie sandrine
  veronique christiane stephanie celine aurelie emilie julie laura camille manon chloe lea emma ines jade louise alice
  lina rose anna juliette ambre agathe romane zoe lucie eva charlotte margot margaux clara sarah oceane pauline mathilde
  marion anais elodie melanie audrey virginie laetitia karine severine delphine caroline helene sophie claire cecile anne
  annie brigitte chantal dominique patricia corinne florence pascale agnes beatrice odile colette simone yvette ginette
  jean pierre michel andre philippe alain bernard jacques daniel christian patrick nicolas laurent frederic christophe
  thierry eric stephane olivier pascal bruno didier gilles serge gerard claude rene roger marcel maurice henri georges
  francois vincent sebastien julien thomas alexandre maxime antoine kevin anthony romain guillaume florian quentin clement
  hugo lucas theo enzo louis gabriel raphael leo jules adam arthur nathan noah ethan paul mathis mathieu matthieu matheo
  axel baptiste valentin benjamin adrien damien fabien cedric ludovic jerome fabrice franck denis yves luc marc xavier
  mohamed mohammed ahmed ali karim mehdi yassine rachid said omar ibrahim youssef fatima aicha khadija amina samira nadia
  leila yasmine sofia nora amelie elise noemie maelys lola mila alix capucine apolline jeanmarie jeanpierre jeanclaude
  jeanpaul annemarie annesophie mariejeanne anneke

  johan jan piet kees henk willem gerrit hendrik cornelis johannes peter pieter hans jeroen sander bas bart dennis marco
  erik mark martijn michiel maarten wouter joost jasper thijs tim tom daan sem bram finn luuk lars milan jesse levi noud
  stijn ruben koen niels rick rob ronald richard robert wim dirk geert guido ivo joris jurgen kristof kurt luc filip tom
  dries jelle robbe seppe wout senne brecht pieterjan gert steven stefan sven bjorn tijs teun gijs floris casper
  anneke annelies annemiek anouk bianca carla carolien chantal cindy daphne denise ellen els emma esmee esther eva fleur
  femke floor greet griet hanneke hilde ilse inge ingrid iris jacqueline janneke jolanda judith karin katrien kim kirsten
  kristel laura leen lien lies liesbeth lieve linda lisa lotte maaike manon maria marieke marijke marjan marleen martine
  mieke miranda monique myriam nathalie nele nicole noor patricia petra romy roos rosalie sabine sandra sanne saskia
  sofie sophie suzanne sylvia tess tessa tineke veerle wendy wilma yvonne julia mila saar zoey lieke evi yara nina lynn

  alexander andreas anton benjamin bernd christian christoph daniel dieter dirk dominik elias emil erich fabian felix
  florian franz frank friedrich fritz georg gunter gunther hans harald heinrich heinz helmut henry herbert hermann holger
  horst jens joachim jonas josef jurgen karl klaus kai konrad leon linus ludwig luis lukas manfred marcel marius markus
  martin matthias max maximilian michael moritz niklas norbert oliver oskar otto patrick paul philipp rainer ralf reiner
  robin rolf rudolf sebastian simon stefan steffen thomas thorsten tobias torsten ulrich uwe volker walter werner wolfgang
  andrea angelika anja anke anna annette antje astrid barbara birgit brigitte christa claudia cornelia dagmar doris elfriede
  elisabeth elke emilia erika eva franziska frieda gabriele gerda gisela greta hannah hannelore heidi heike helga hildegard
  ida ilona ingrid irmgard jana johanna jutta karin katharina katja kerstin klara lena leonie lieselotte luisa lydia maja
  manuela margarete marlene martina melanie mia monika nadine nele nicole petra renate rita rosemarie ruth sabine sandra
  silke silvia simone sonja stefanie susanne svenja tanja theresa ulrike ursula ute vanessa verena waltraud yvonne

  james john robert michael william david richard joseph charles christopher matthew anthony andrew joshua kenneth george
  edward brian ronald timothy jason jeffrey ryan jacob gary nicholas jonathan stephen larry justin scott brandon samuel
  gregory alexander patrick jack harry oliver charlie oscar freddie alfie archie noah logan mason liam connor callum jamie
  mary patricia jennifer linda elizabeth barbara susan jessica sarah karen lisa nancy betty margaret sandra ashley emily
  kimberly donna michelle carol amanda melissa deborah stephanie rebecca sharon cynthia kathleen amy angela shirley brenda
  emma olivia amelia isla ava mia grace lily freya poppy ella evie sophia isabella charlotte harriet hannah abigail megan
  giulia francesca chiara alessandro giuseppe giovanni matteo lorenzo carmen lucia pablo diego carlos jose juan maria ana
  joao pedro miguel tiago ines beatriz piotr pawel tomasz krzysztof agnieszka katarzyna malgorzata magdalena dmitri sergei
  natalia tatiana olga svetlana mehmet mustafa emre ayse elif zeynep`.split(/\s+/),
)
