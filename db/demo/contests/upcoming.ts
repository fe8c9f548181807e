import type { UpcomingEntry } from '../demo-contest.ts'
import { picturesOf } from './pictures.ts'

/** Contests that only staff see: one that opens by itself, and one that is being written. */
export const upcomingEntries: readonly UpcomingEntry[] = [
  {
    slug: 'meridane-gt-et-deux-nuits-en-champagne',
    title: {
      fr: 'Méridane GT et deux nuits en Champagne',
      nl: 'Méridane GT en twee nachten in de Champagne',
      en: 'Méridane GT and two nights in Champagne',
    },
    description: {
      fr: [
        'La Méridane GT argentée, son six-cylindres de 3,0 litres et 257 kW (350 ch), et un premier voyage pour elle : deux nuits pour deux près d’Épernay, petit déjeuner et visite d’une cave compris.',
        'Le gagnant reçoit une voiture neuve, immatriculée à son nom, et choisit la date de son séjour dans les douze mois. Valeur : 68 400 €.',
      ],
      nl: [
        'De zilveren Méridane GT, met een 3,0-liter zescilinder van 257 kW (350 pk), en meteen een eerste reis: twee nachten voor twee bij Épernay, met ontbijt en een bezoek aan een wijnkelder.',
        'De winnaar krijgt een nieuwe auto op eigen naam en kiest zelf wanneer het verblijf valt, binnen twaalf maanden. Waarde: € 68.400.',
      ],
      en: [
        'The silver Méridane GT with its 3.0-litre straight six of 257 kW (350 hp), and a first journey for it: two nights for two near Épernay, breakfast and a visit to a cellar included.',
        'The winner receives a new car, registered in their own name, and picks the dates of the stay within twelve months. Value: €68,400.',
      ],
    },
    quiz: {
      question: {
        fr: 'Quelle rivière traverse Épernay ?',
        nl: 'Welke rivier stroomt door Épernay?',
        en: 'Which river flows through Épernay?',
      },
      choices: ['Loire', 'Marne', 'Meuse', 'Rhône'],
      correct: 'Marne',
    },
    ticketPriceCents: 690,
    totalTickets: 14_000,
    maxPerPerson: 200,
    prizeValueCents: 6_840_000,
    opens: { days: 2 },
    ends: { days: 30 },
    state: 'scheduled',
    pictures: picturesOf('tourer', 'rear', 'front', 'night', 'detail'),
  },
  {
    slug: 'sevrane-3-0-pour-un-an',
    title: { fr: 'Sévrane 3.0 pour un an', nl: 'Een jaar lang de Sévrane 3.0', en: '' },
    description: {
      fr: [
        'Douze mois au volant de la Sévrane 3.0 bleu nuit : l’assurance, l’entretien, quatre pneus d’hiver et 20 000 km sont compris.',
      ],
      nl: [],
      en: [],
    },
    quiz: {
      question: { fr: 'Combien de roues motrices a la Sévrane 3.0 ?', nl: '', en: '' },
      choices: ['2', '4'],
      correct: '4',
    },
    ticketPriceCents: 290,
    totalTickets: 5_000,
    maxPerPerson: null,
    prizeValueCents: null,
    opens: null,
    ends: null,
    state: 'draft',
    pictures: picturesOf('saloon', 'night', 'front'),
  },
]
