/**
 * What people of the shop's countries think of first, without accents: greetings, love, family, seasons, animals,
 * places, clubs, cars, and the word for password itself. Together with digits and signs they are the first guesses.
 */
export const FIRST_WORDS: ReadonlySet<string> = new Set(
  `bonjour bonsoir bienvenue salut coucou merci motdepasse secret soleil etoile lune amour monamour jetaime cherie cheri
  chouchou doudou loulou bebe coeur bisous bisou famille maman papa mamie papy enfant princesse prince ange liberte
  bonheur chance joie espoir printemps automne hiver ete noel vacances weekend janvier fevrier mars avril juin juillet
  aout septembre octobre novembre decembre lundi mardi mercredi jeudi vendredi samedi dimanche chat chaton chien lapin
  cheval poisson tigre dauphin loup ours papillon fleur chocolat fromage camembert croissant orange citron framboise
  paris lyon marseille toulouse bordeaux lille nantes nice strasbourg bruxelles liege namur france belgique luxembourg
  football foot peugeot renault citroen bugatti maison jardin cuisine bureau ordinateur internet azerty azertyuiop

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
  qwerty qwertz qwertyuiop asdfgh iphone samsung google facebook paypal bancontact venmo`.split(/\s+/),
)
