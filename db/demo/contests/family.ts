import type { DemoEntry } from '../demo-contest.ts'
import { picturesOf } from './pictures.ts'

/** Cars with room: two conditions of the estate, and an SUV that staff took off sale. */
export const familyEntries: readonly DemoEntry[] = [
  {
    slug: 'sylvane-break-vert-anglais',
    plate: 'SYLVANE',
    title: {
      fr: 'Sylvane Break vert anglais',
      nl: 'Sylvane Break in Engels groen',
      en: 'Sylvane Break in British racing green',
    },
    description: {
      fr: [
        'Un break au toit long et au plancher plat : 620 litres de coffre, 1 760 litres banquette rabattue, seuil de chargement à 61 cm. Hybride essence de 160 kW (218 ch), 5,1 l/100 km en cycle WLTP.',
        'Le gagnant reçoit une voiture neuve avec hayon électrique, trois fixations Isofix, barres de toit et caméra à 360 degrés. Valeur : 45 600 €.',
        'Tous les billets sont vendus : le tirage n’attend plus que la date de clôture. Si vous participez, vos numéros sont dans « Mes participations ».',
      ],
      nl: [
        'Een stationwagen met een lang dak en een vlakke vloer: 620 liter bagageruimte, 1.760 liter met de bank plat, tildrempel op 61 cm. Benzinehybride met 160 kW (218 pk), 5,1 l/100 km volgens WLTP.',
        'De winnaar krijgt een nieuwe auto met elektrische achterklep, drie Isofix-punten, dakrails en een 360-gradencamera. Waarde: € 45.600.',
        'Alle tickets zijn verkocht: het is nu wachten op de sluitingsdatum. Doe je mee, dan staan je nummers onder ‘Mijn deelnames’.',
      ],
      en: [
        'An estate with a long roof and a flat floor: 620 litres of boot, 1,760 litres with the seats folded, a loading sill at 61 cm. Petrol hybrid with 160 kW (218 hp), 5.1 l/100 km (WLTP).',
        'The winner receives a new car with a powered tailgate, three Isofix points, roof rails and a 360-degree camera. Value: €45,600.',
        'All tickets are sold: the draw follows the closing date. If you have entered, your numbers are under “My participations”.',
      ],
    },
    quiz: {
      question: {
        fr: 'Combien d’étoiles compte le drapeau européen ?',
        nl: 'Hoeveel sterren staan er op de Europese vlag?',
        en: 'How many stars are there on the European flag?',
      },
      choices: ['10', '12', '15', '27'],
      correct: '12',
    },
    ticketPriceCents: 2200,
    totalTickets: 2400,
    demoSold: 2400,
    ends: { days: 9 },
    isActive: true,
    pictures: picturesOf('estate', 'front', 'night', 'rear', 'detail'),
  },
  {
    slug: 'sylvane-break-avec-remorque-et-velos',
    plate: 'SYLVANE',
    title: {
      fr: 'Sylvane Break avec remorque et vélos',
      nl: 'Sylvane Break met aanhanger en fietsen',
      en: 'Sylvane Break with trailer and bicycles',
    },
    description: {
      fr: [
        'Le même break vert, préparé pour les vacances : attelage escamotable (1 800 kg), remorque fermée de 750 kg, deux vélos électriques et leur porte-vélos. Une remorque jusqu’à 750 kg se tracte avec le permis B.',
        'La voiture a un an et 14 200 km, deux clés, une révision faite avant la remise et quatre pneus toutes saisons. Moteur hybride de 160 kW (218 ch). Valeur de l’ensemble : 43 200 €.',
        'Nous livrons le tout en une fois, à votre adresse, et nous immatriculons la voiture et la remorque à votre nom.',
      ],
      nl: [
        'Dezelfde groene stationwagen, klaar voor de vakantie: wegklapbare trekhaak (1.800 kg), gesloten aanhanger van 750 kg, twee elektrische fietsen en een fietsendrager. Een aanhanger tot 750 kg mag je met rijbewijs B trekken.',
        'De auto is een jaar oud en heeft 14.200 km gereden. Hij heeft twee sleutels, een onderhoudsbeurt vlak voor de overdracht en vier allseasonbanden. Hybride motor van 160 kW (218 pk). Samen goed voor € 43.200.',
        'We leveren alles in één keer op je adres en zetten de auto en de aanhanger op jouw naam.',
      ],
      en: [
        'The same green estate, ready for the holidays: retractable tow bar (1,800 kg), a 750 kg box trailer, two electric bicycles and their carrier. A trailer up to 750 kg may be towed on a category B licence.',
        'The car is one year old with 14,200 km, two keys, a service just before the handover and four all-season tyres. 160 kW (218 hp) hybrid engine. Total value: €43,200.',
        'We deliver everything at once, to your address, and register the car and the trailer in your name.',
      ],
    },
    quiz: {
      question: {
        fr: 'Combien de joueurs d’une même équipe de football sont sur le terrain au coup d’envoi ?',
        nl: 'Hoeveel spelers van één voetbalploeg staan er bij de aftrap op het veld?',
        en: 'How many players of one football team are on the pitch at kick-off?',
      },
      choices: ['9', '10', '11', '12'],
      correct: '11',
    },
    ticketPriceCents: 490,
    totalTickets: 10_000,
    demoSold: 640,
    ends: { days: 37 },
    isActive: true,
    pictures: picturesOf('estate', 'rear', 'front', 'detail', 'night'),
  },
  {
    slug: 'karst-4-gris-granit',
    plate: 'KARST 4',
    title: { fr: 'Karst 4 gris granit', nl: 'Karst 4 in granietgrijs', en: 'Karst 4 in granite grey' },
    description: {
      fr: [
        'Cinq places hautes, 580 litres de coffre, un hybride rechargeable de 185 kW (252 ch) et une charge complète en trois heures sur une borne de 7,4 kW : le Karst 4 de série, gris granit, sans option inutile.',
        'Le gagnant reçoit une voiture neuve, livrée à domicile et immatriculée à son nom. Valeur : 42 700 €.',
        'Nous avons suspendu la vente de ce concours : le constructeur a reporté la livraison du modèle. Les billets achetés restent valables ; si le concours est annulé, ils sont remboursés en entier dans les 14 jours.',
      ],
      nl: [
        'Vijf hoge zitplaatsen, 580 liter bagageruimte, een plug-inhybride van 185 kW (252 pk) die aan een laadpaal van 7,4 kW in drie uur vol is: de Karst 4 zoals hij standaard is, in granietgrijs, zonder overbodige opties.',
        'De winnaar krijgt een nieuwe auto, aan huis geleverd en op eigen naam geregistreerd. Waarde: € 42.700.',
        'We hebben de verkoop voor deze wedstrijd stopgezet: de fabrikant levert het model later. Gekochte tickets blijven geldig; wordt de wedstrijd geannuleerd, dan krijg je binnen 14 dagen alles terug.',
      ],
      en: [
        'Five raised seats, a 580-litre boot and a 185 kW (252 hp) plug-in hybrid that charges fully in three hours at 7.4 kW: the Karst 4 as standard, in granite grey, with no needless options.',
        'The winner receives a new car, delivered to their home and registered in their name. Value: €42,700.',
        'We have paused sales for this contest because the manufacturer has postponed delivery of the model. Tickets already bought remain valid; if the contest is cancelled, they are refunded in full within 14 days.',
      ],
    },
    quiz: {
      question: {
        fr: 'Quelle ville est la capitale de la Norvège ?',
        nl: 'Welke stad is de hoofdstad van Noorwegen?',
        en: 'Which city is the capital of Norway?',
      },
      choices: ['Bergen', 'Helsinki', 'Oslo', 'Stockholm'],
      correct: 'Oslo',
    },
    ticketPriceCents: 990,
    totalTickets: 5000,
    demoSold: 812,
    prizeValueCents: 4_270_000,
    ends: { days: 23 },
    isActive: false,
    pictures: picturesOf('suv', 'rear', 'detail', 'front', 'night'),
  },
]
