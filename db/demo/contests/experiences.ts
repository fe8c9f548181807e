import type { DemoEntry } from '../demo-contest.ts'
import { picturesOf } from './pictures.ts'

/** Days and weekends with a car, for those who do not want to own it. */
export const experienceEntries: readonly DemoEntry[] = [
  {
    slug: 'une-journee-de-circuit-en-ignara-v8',
    plate: 'IGNARA V8',
    title: {
      fr: 'Une journée de circuit en Ignara V8',
      nl: 'Een circuitdag met de Ignara V8',
      en: 'A day on the track in the Ignara V8',
    },
    description: {
      fr: [
        'Vingt-quatre billets seulement, un gagnant : une chance sur vingt-quatre de passer une journée au volant de l’Ignara V8 et de ses 478 kW (650 ch).',
        'La journée comprend une heure de théorie, quatre séances de vingt minutes avec un instructeur à vos côtés, le carburant, l’équipement, l’assurance de la voiture avec une franchise de 1 500 € et le déjeuner pour deux. Valeur : 540 €.',
        'Le gagnant choisit entre six dates, d’avril à septembre, sur un circuit belge. Il faut avoir le permis B depuis au moins trois ans. Ce concours n’a pas de question.',
      ],
      nl: [
        'Slechts vierentwintig tickets, één winnaar: een kans van één op vierentwintig op een dag achter het stuur van de Ignara V8 met zijn 478 kW (650 pk).',
        'De dag omvat een uur theorie, vier ritten van twintig minuten met een instructeur naast je, brandstof, uitrusting, een verzekering van de auto met € 1.500 eigen risico en een lunch voor twee. Waarde: € 540.',
        'De winnaar kiest uit zes data, van april tot september, op een Belgisch circuit. Je moet minstens drie jaar een rijbewijs B hebben. Bij deze wedstrijd hoort geen vraag.',
      ],
      en: [
        'Only twenty-four tickets and one winner: a chance of one in twenty-four to spend a day at the wheel of the Ignara V8 and its 478 kW (650 hp).',
        'The day includes an hour of theory, four sessions of twenty minutes with an instructor beside you, fuel, equipment, insurance for the car with an excess of €1,500, and lunch for two. Value: €540.',
        'The winner picks one of six dates from April to September on a Belgian track. You need to have held a category B licence for at least three years. There is no question in this contest.',
      ],
    },
    quiz: null,
    ticketPriceCents: 2500,
    totalTickets: 24,
    demoSold: 7,
    ends: { days: 14 },
    isActive: true,
    pictures: picturesOf('supercar', 'night', 'detail', 'rear', 'front'),
  },
  {
    slug: 'un-week-end-a-la-mer-en-solane-spider',
    plate: 'SOLANE',
    title: {
      fr: 'Un week-end à la mer en Solane Spider',
      nl: 'Een weekend aan zee met de Solane Spider',
      en: 'A weekend by the sea in the Solane Spider',
    },
    description: {
      fr: [
        'Du vendredi 16 h au lundi 10 h, la Solane Spider est à vous : capote ouverte, 220 chevaux, une valise chacun dans le coffre. L’assurance tous risques et 600 km sont compris.',
        'Deux nuits pour deux en chambre avec vue sur la mer, petit déjeuner compris, au choix à De Haan, au Touquet ou à Domburg. La voiture vous est amenée à la gare la plus proche de l’hôtel. Valeur : 1 180 €.',
        'Le bon est valable douze mois, hors juillet et août. Conducteur de 23 ans au moins, permis B depuis au moins deux ans.',
      ],
      nl: [
        'Van vrijdag 16 uur tot maandag 10 uur is de Solane Spider van jou: dak open, 220 pk en voor elk een koffer achterin. De allriskverzekering en 600 km zijn inbegrepen.',
        'Twee nachten voor twee in een kamer met zeezicht, ontbijt inbegrepen, naar keuze in De Haan, Le Touquet of Domburg. We brengen de auto naar het station dat het dichtst bij je hotel ligt. Waarde: € 1.180.',
        'De bon blijft twaalf maanden geldig, behalve in juli en augustus. De bestuurder is minstens 23 en heeft minstens twee jaar een rijbewijs B.',
      ],
      en: [
        'From Friday at 4 pm to Monday at 10 am the Solane Spider is yours: roof down, 220 horsepower, one suitcase each in the boot. Comprehensive insurance and 600 km are included.',
        'Two nights for two in a room with a sea view, breakfast included, in De Haan, Le Touquet or Domburg as you choose. We bring the car to the station nearest your hotel. Value: €1,180.',
        'The voucher is valid for twelve months except July and August. The driver must be at least 23 and have held a category B licence for at least two years.',
      ],
    },
    quiz: {
      question: {
        fr: 'À 60 km/h, combien de minutes faut-il pour parcourir 90 km ?',
        nl: 'Hoeveel minuten doe je over 90 km als je 60 km/u rijdt?',
        en: 'At 60 km/h, how many minutes does it take to cover 90 km?',
      },
      choices: ['60', '75', '90', '120'],
      correct: '90',
    },
    ticketPriceCents: 250,
    totalTickets: 600,
    demoSold: 148,
    ends: { days: 8 },
    isActive: true,
    pictures: picturesOf('roadster', 'rear', 'detail', 'front', 'night'),
  },
  {
    slug: 'un-dimanche-en-corvane-s4',
    plate: 'CORVANE S4',
    title: {
      fr: 'Un dimanche en Corvane S4',
      nl: 'Een zondag met de Corvane S4',
      en: 'A Sunday in the Corvane S4',
    },
    description: {
      fr: [
        'Le dimanche de votre choix, de 9 h à 19 h, la Corvane S4 est à vous. Le plein est fait ; 300 km et l’assurance tous risques sont compris.',
        'Soixante billets seulement, un gagnant. Un panier de pique-nique pour deux attend dans le coffre. Valeur : 320 €.',
        'Le bon est valable douze mois. Conducteur de 25 ans au moins, permis B depuis au moins trois ans. Ce concours n’a pas de question.',
      ],
      nl: [
        'Op een zondag naar keuze is de Corvane S4 van jou, van 9 tot 19 uur. De tank is vol; 300 km en een allriskverzekering zijn inbegrepen.',
        'Slechts zestig tickets, één winnaar. In de koffer ligt een picknickmand voor twee klaar. Waarde: € 320.',
        'De bon blijft twaalf maanden geldig. De bestuurder is minstens 25 en heeft minstens drie jaar een rijbewijs B. Bij deze wedstrijd hoort geen vraag.',
      ],
      en: [
        'On a Sunday of your choice, from 9 am to 7 pm, the Corvane S4 is yours. The tank is full; 300 km and comprehensive insurance are included.',
        'Only sixty tickets and one winner. A picnic for two is waiting in the boot. Value: €320.',
        'The voucher is valid for twelve months. Drivers must be at least 25 and have held a category B licence for at least three years. There is no question in this contest.',
      ],
    },
    quiz: null,
    ticketPriceCents: 590,
    totalTickets: 60,
    demoSold: 41,
    ends: { minutes: 1.75 },
    drawsSoon: true,
    isActive: true,
    pictures: picturesOf('fastback', 'night', 'front', 'rear', 'detail'),
  },
]
