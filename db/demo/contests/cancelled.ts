import type { UpcomingEntry } from '../demo-contest.ts'
import { picturesOf } from './pictures.ts'

/** A contest that was cancelled: all of its buyers have their money back. */
export const cancelledEntry: UpcomingEntry & { why: string } = {
  slug: 'lumo-e-et-un-an-de-recharge',
  title: {
    fr: 'Lumo E et un an de recharge',
    nl: 'Lumo E met een jaar laden',
    en: 'Lumo E with a year of charging',
  },
  description: {
    fr: [
      'La Lumo E électrique, 64 kWh et 430 km d’autonomie WLTP, avec une carte de recharge payée pour un an chez notre partenaire.',
      'Voiture neuve, livrée à domicile. Valeur de l’ensemble : 29 900 €.',
    ],
    nl: [
      'De elektrische Lumo E, 64 kWh en 430 km WLTP-bereik, met een laadkaart die een jaar lang betaald is bij onze partner.',
      'Nieuwe auto, aan huis geleverd. Samen goed voor € 29.900.',
    ],
    en: [
      'The electric Lumo E, 64 kWh and 430 km of WLTP range, with a charging card that is paid for a year at our partner.',
      'A new car, delivered to your door. Total value: €29,900.',
    ],
  },
  quiz: {
    question: {
      fr: 'Combien de roues a une voiture ?',
      nl: 'Hoeveel wielen heeft een auto?',
      en: 'How many wheels does a car have?',
    },
    choices: ['2', '3', '4', '6'],
    correct: '4',
  },
  ticketPriceCents: 299,
  totalTickets: 9000,
  maxPerPerson: null,
  prizeValueCents: 2_990_000,
  opens: { days: -12 },
  ends: { days: 21 },
  state: 'draft',
  pictures: picturesOf('hatch', 'front', 'night'),
  why: 'Le partenaire de recharge a cessé son activité : le prix ne peut plus être remis tel qu’annoncé.',
}
