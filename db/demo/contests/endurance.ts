import type { DemoEntry } from '../demo-contest.ts'
import { picturesOf } from './pictures.ts'

/** A contest that is over when the demonstration begins. */
export const enduranceEntries: readonly DemoEntry[] = [
  {
    slug: 'corvane-s4-endurance-a-boite-manuelle',
    plate: 'CORVANE S4',
    title: {
      fr: 'Corvane S4 Endurance à boîte manuelle',
      nl: 'Corvane S4 Endurance met handschakeling',
      en: 'Corvane S4 Endurance with manual gearbox',
    },
    description: {
      fr: [
        'La même Corvane S4, réglée pour le circuit : boîte manuelle à six rapports, châssis abaissé de 15 mm, freins en carbone-céramique et arceau démontable. Six cylindres, 316 kW (430 ch), 1 480 kg.',
        'Le gagnant reçoit une voiture neuve, une journée de circuit avec instructeur et un second train de pneus. Valeur : 48 700 €.',
        'Ce concours est terminé : plus aucun billet n’est en vente et le tirage a lieu en direct.',
      ],
      nl: [
        'Dezelfde Corvane S4, afgesteld voor het circuit: handgeschakelde zesbak, onderstel 15 mm lager, carbon-keramische remmen en een uitneembare rolkooi. Zes cilinders, 316 kW (430 pk), 1.480 kg.',
        'De winnaar krijgt een nieuwe auto, een circuitdag met instructeur en een tweede set banden. Waarde: € 48.700.',
        'Deze wedstrijd is afgelopen: er worden geen tickets meer verkocht en de trekking is live te volgen.',
      ],
      en: [
        'The same Corvane S4, set up for the track: six-speed manual gearbox, suspension lowered by 15 mm, carbon-ceramic brakes and a removable roll cage. Six cylinders, 316 kW (430 hp), 1,480 kg.',
        'The winner receives a new car, a day on the track with an instructor and a second set of tyres. Value: €48,700.',
        'This contest has ended: no more tickets are sold, and the draw takes place live.',
      ],
    },
    quiz: {
      question: {
        fr: 'Qui a déposé en 1886 le brevet d’une voiture à essence à trois roues ?',
        nl: 'Wie vroeg in 1886 het patent aan op een driewielige auto met benzinemotor?',
        en: 'Who applied in 1886 for the patent on a three-wheeled petrol car?',
      },
      choices: ['Rudolf Diesel', 'Carl Benz', 'Henry Ford', 'Ettore Bugatti'],
      correct: 'Carl Benz',
    },
    ticketPriceCents: 1250,
    totalTickets: 4500,
    demoSold: 3914,
    prizeValueCents: 4_870_000,
    ends: { days: -3 },
    isActive: true,
    pictures: picturesOf('fastback', 'night', 'detail', 'rear', 'front'),
  },
]
