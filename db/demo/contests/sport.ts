import type { DemoEntry } from '../demo-contest.ts'
import { picturesOf } from './pictures.ts'

/** Two-seaters and coupés. */
export const sportEntries: readonly DemoEntry[] = [
  {
    slug: 'corvane-s4-rouge-rubis',
    plate: 'CORVANE S4',
    title: { fr: 'Corvane S4 rouge rubis', nl: 'Corvane S4 in robijnrood', en: 'Corvane S4 in ruby red' },
    description: {
      fr: [
        'Un six-cylindres en ligne de 3,0 litres, 294 kW (400 ch), une boîte automatique à huit rapports et la propulsion : la Corvane S4 passe de 0 à 100 km/h en 4,6 secondes et reste confortable sur mille kilomètres d’autoroute.',
        'Le gagnant reçoit une voiture neuve, première immatriculation à son nom : peinture rubis métallisée, jantes de 20 pouces, sièges chauffants, phares adaptatifs et deux jeux de pneus, été et hiver. Valeur : 43 900 €.',
        'Nous livrons la voiture à domicile en France, en Belgique, au Luxembourg, aux Pays-Bas et en Allemagne. Transport, certificat de conformité et première immatriculation sont à notre charge ; l’assurance reste à la vôtre.',
      ],
      nl: [
        'Een 3,0-liter zescilinder lijnmotor met 294 kW (400 pk), een achttrapsautomaat en achterwielaandrijving: de Corvane S4 sprint in 4,6 seconden naar 100 km/u en blijft comfortabel, ook na duizend kilometer snelweg.',
        'De winnaar krijgt een nieuwe auto, met de eerste registratie op eigen naam: robijnrode metallic lak, velgen van 20 inch, stoelverwarming, adaptieve koplampen en twee sets banden, voor zomer en winter. Waarde: € 43.900.',
        'We leveren de auto aan huis in Nederland, België, Luxemburg, Frankrijk en Duitsland. Transport, certificaat van overeenstemming en eerste registratie betalen wij; de verzekering sluit je zelf af.',
      ],
      en: [
        'A 3.0-litre straight six with 294 kW (400 hp), an eight-speed automatic and rear-wheel drive: the Corvane S4 reaches 100 km/h in 4.6 seconds and is still comfortable after a thousand kilometres of motorway.',
        'The winner receives a new car, first registered in their own name: ruby metallic paint, 20-inch wheels, heated seats, adaptive headlamps and two sets of tyres, summer and winter. Value: €43,900.',
        'We deliver to your door in France, Belgium, Luxembourg, the Netherlands and Germany. Transport, certificate of conformity and first registration are on us; insurance is yours to arrange.',
      ],
    },
    quiz: {
      question: {
        fr: 'Dans quelle ville une course de 24 heures a-t-elle lieu depuis 1923 ?',
        nl: 'In welke stad wordt sinds 1923 een 24-uursrace gereden?',
        en: 'In which town has a 24-hour race been held since 1923?',
      },
      choices: ['Monza', 'Le Mans', 'Silverstone', 'Zandvoort'],
      correct: 'Le Mans',
    },
    ticketPriceCents: 490,
    totalTickets: 9500,
    demoSold: 3120,
    ends: { days: 12 },
    isActive: true,
    pictures: picturesOf('fastback', 'front', 'night', 'rear', 'detail'),
  },
  {
    slug: 'solane-spider-bronze-et-capote-noire',
    plate: 'SOLANE',
    title: {
      fr: 'Solane Spider bronze et capote noire',
      nl: 'Solane Spider in brons met zwarte softtop',
      en: 'Solane Spider in bronze with a black top',
    },
    description: {
      fr: [
        'Deux places, 1 240 kg, un quatre-cylindres turbo de 1,8 litre et 162 kW (220 ch). La Solane Spider est faite pour les départementales : capote ouverte en douze secondes, boîte manuelle à six rapports, différentiel à glissement limité.',
        'La voiture du concours affiche 900 km, ceux de nos prises de vue. Elle a une sellerie de cuir fauve, des sièges chauffants et un filet coupe-vent. Garantie du constructeur jusqu’à fin 2028. Valeur : 36 500 €.',
        'Ce concours n’a pas de question : choisissez vos billets, c’est tout. Une participation gratuite par courrier reste possible, une fois par personne ; les conditions sont dans le règlement.',
      ],
      nl: [
        'Twee zitplaatsen, 1.240 kg en een 1,8-liter viercilinder turbo met 162 kW (220 pk). De Solane Spider is gemaakt voor bochtige binnenwegen: in twaalf seconden open, handgeschakelde zesbak, sperdifferentieel.',
        'De auto van deze wedstrijd heeft 900 km gereden, die van onze opnamen. Hij heeft cognackleurig leer, stoelverwarming en een windscherm. Fabrieksgarantie tot eind 2028. Waarde: € 36.500.',
        'Bij deze wedstrijd hoort geen vraag: kies je tickets, meer niet. Gratis meedoen per post kan ook, één keer per persoon; hoe dat werkt, lees je in het reglement.',
      ],
      en: [
        'Two seats, 1,240 kg and a 1.8-litre turbocharged four with 162 kW (220 hp). The Solane Spider was made for country roads: roof down in twelve seconds, six-speed manual gearbox, limited-slip differential.',
        'The car in this contest has covered 900 km, all of them for our own photographs. It has tan leather, heated seats and a wind deflector, and a manufacturer’s warranty until the end of 2028. Value: €36,500.',
        'There is no question in this contest: choose your tickets, that is all. You can also enter free by post, once per person; the rules explain how.',
      ],
    },
    quiz: null,
    ticketPriceCents: 350,
    totalTickets: 12_000,
    demoSold: 1874,
    ends: { days: 19 },
    isActive: true,
    pictures: picturesOf('roadster', 'front', 'rear', 'night', 'detail'),
  },
  {
    slug: 'ignara-v8-a-moins-d-un-euro',
    plate: 'IGNARA V8',
    title: {
      fr: 'Ignara V8 à moins d’un euro',
      nl: 'Ignara V8 voor minder dan een euro',
      en: 'Ignara V8 for less than a euro',
    },
    description: {
      fr: [
        'L’Ignara V8 porte son moteur derrière les sièges : huit cylindres, 4,0 litres, 478 kW (650 ch), une coque en carbone de 1 390 kg à vide. De 0 à 100 km/h en 3,1 secondes, 325 km/h sur circuit.',
        'Pour un billet à ce prix, il en faut beaucoup : 250 000, pas un de plus. Le compteur de cette page montre à tout moment combien sont vendus, et un seul numéro gagne.',
        'Le gagnant reçoit la voiture orange des photos, 60 km au compteur, avec deux jours de prise en main sur circuit, un instructeur et la première révision. Valeur : 214 000 €. S’il préfère ne pas la garder, nous l’aidons à la vendre, sans commission.',
        'Livraison en camion fermé dans toute l’Union européenne, à la date que vous choisissez, dans les six semaines qui suivent le tirage.',
      ],
      nl: [
        'Bij de Ignara V8 ligt de motor achter de stoelen: acht cilinders, 4,0 liter, 478 kW (650 pk), in een carbon chassis. Leeg weegt hij 1.390 kg. Van 0 naar 100 km/u in 3,1 seconden, op het circuit 325 km/u.',
        'Bij deze ticketprijs zijn er veel tickets nodig: 250.000, en niet één meer. De teller op deze pagina toont op elk moment hoeveel er verkocht zijn. Eén nummer wint.',
        'De winnaar krijgt de oranje auto van de foto’s, met 60 km op de teller, plus twee dagen kennismaking op het circuit, een instructeur en de eerste onderhoudsbeurt. Waarde: € 214.000. Wil je hem liever niet houden, dan helpen we je zonder commissie met de verkoop.',
        'Levering per gesloten transport in de hele Europese Unie, op een dag die jij kiest, binnen zes weken na de trekking.',
      ],
      en: [
        'The Ignara V8 carries its engine behind the seats: eight cylinders, 4.0 litres, 478 kW (650 hp), in a carbon tub that brings the car to 1,390 kg empty. 0 to 100 km/h in 3.1 seconds, 325 km/h on a track.',
        'At this price it takes many tickets: 250,000 of them, and not one more. The counter on this page always shows how many are sold, and one number wins.',
        'The winner receives the orange car in the pictures, with 60 km on the clock, two days on a track with an instructor to get to know it, and the first service. Value: €214,000. If you would rather not keep it, we help you sell it and take no commission.',
        'Delivery by enclosed lorry anywhere in the European Union, on a day of your choice, within six weeks of the draw.',
      ],
    },
    quiz: {
      question: {
        fr: 'En quelle année l’homme a-t-il marché sur la Lune pour la première fois ?',
        nl: 'In welk jaar zette een mens voor het eerst voet op de maan?',
        en: 'In which year did a human being first walk on the Moon?',
      },
      choices: ['1959', '1965', '1969', '1974'],
      correct: '1969',
    },
    ticketPriceCents: 99,
    totalTickets: 250_000,
    demoSold: 3987,
    ends: { days: 40 },
    isActive: true,
    pictures: picturesOf('supercar', 'front', 'night', 'rear', 'detail'),
  },
]
