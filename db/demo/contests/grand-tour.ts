import type { DemoEntry } from '../demo-contest.ts'
import { picturesOf } from './pictures.ts'

/** Cars for long distances. */
export const grandTourEntries: readonly DemoEntry[] = [
  {
    slug: 'meridane-gt-gris-argent',
    plate: 'MERIDANE GT',
    title: {
      fr: 'Méridane GT gris argent',
      nl: 'Méridane GT in zilvergrijs',
      en: 'Méridane GT in silver grey',
    },
    description: {
      fr: [
        'Capot long, quatre vraies places, 510 km d’autonomie sur autoroute : la Méridane GT est une grande routière à l’ancienne avec la technique d’aujourd’hui. Son V6 biturbo de 2,9 litres donne 331 kW (450 ch) et 600 Nm dès 1 900 tr/min.',
        'Le gagnant reçoit une voiture neuve, avec suspension pneumatique, toit panoramique, système audio à seize haut-parleurs et une sellerie de cuir noir. Valeur : 89 000 €.',
        'La remise a lieu chez vous ou, si vous préférez, à Bruxelles, avec une nuit d’hôtel pour deux. Les plaques et les papiers à votre nom sont prêts le jour même.',
      ],
      nl: [
        'Een lange motorkap, vier echte zitplaatsen en 510 km actieradius op de snelweg: de Méridane GT is een klassieke gran turismo met de techniek van nu. De 2,9-liter V6 biturbo levert 331 kW (450 pk) en 600 Nm vanaf 1.900 tpm.',
        'De winnaar krijgt een nieuwe auto met luchtvering, panoramadak, een geluidssysteem met zestien luidsprekers en zwart leer. Waarde: € 89.000.',
        'De overdracht gebeurt bij je thuis of, als je dat leuker vindt, in Brussel, met een hotelnacht voor twee. De nummerplaten en de papieren op jouw naam liggen dan klaar.',
      ],
      en: [
        'A long bonnet, four proper seats and 510 km of motorway range: the Méridane GT is an old-school grand tourer with modern engineering. Its 2.9-litre twin-turbo V6 gives 331 kW (450 hp), and 600 Nm from 1,900 rpm.',
        'The winner receives a new car with air suspension, a panoramic roof, a sixteen-speaker sound system and black leather. Value: €89,000.',
        'We hand it over at your home or, if you prefer, in Brussels, with a hotel night for two. Number plates and papers in your name are ready on the day.',
      ],
    },
    quiz: {
      question: {
        fr: 'Avec combien de pays la Belgique partage-t-elle une frontière terrestre ?',
        nl: 'Met hoeveel landen heeft België een landgrens?',
        en: 'With how many countries does Belgium share a land border?',
      },
      choices: ['3', '4', '5', '6'],
      correct: '4',
    },
    ticketPriceCents: 2400,
    totalTickets: 4000,
    demoSold: 3406,
    ends: { minutes: 50 },
    isActive: true,
    pictures: picturesOf('tourer', 'front', 'night', 'detail', 'rear'),
  },
  {
    slug: 'sevrane-3-0-bleu-nuit',
    plate: 'SEVRANE 3.0',
    title: {
      fr: 'Sévrane 3.0 bleu nuit',
      nl: 'Sévrane 3.0 in nachtblauw',
      en: 'Sévrane 3.0 in midnight blue',
    },
    description: {
      fr: [
        'Une berline de 4,92 m qui ne cherche pas à se faire remarquer. Six cylindres diesel, 210 kW (286 ch), 5,4 l/100 km en cycle WLTP, transmission intégrale et 66 litres de réservoir : plus de mille kilomètres sans s’arrêter.',
        'La voiture du concours a deux ans et 28 400 km, un seul propriétaire et un carnet d’entretien complet, que vous pouvez nous demander. Cuir beige, conduite assistée sur autoroute, vitrage acoustique, attelage escamotable. Valeur : 52 800 €.',
        'Avant la livraison, elle passe le contrôle technique et reçoit quatre pneus neufs. Garantie de 24 mois, pièces et main-d’œuvre.',
      ],
      nl: [
        'Een sedan van 4,92 m die niet hoeft op te vallen. Zescilinder diesel, 210 kW (286 pk), 5,4 l/100 km volgens WLTP, vierwielaandrijving en een tank van 66 liter: meer dan duizend kilometer zonder te stoppen.',
        'De auto van deze wedstrijd is twee jaar oud, heeft 28.400 km gereden, één eigenaar en een volledig onderhoudsboekje, dat je bij ons kunt opvragen. Beige leer, rijhulp op de snelweg, akoestisch glas, wegklapbare trekhaak. Waarde: € 52.800.',
        'Voor de levering gaat hij naar de technische keuring en krijgt hij vier nieuwe banden. Garantie: 24 maanden op onderdelen en arbeid.',
      ],
      en: [
        'A 4.92-metre saloon that has no need to be noticed. Six-cylinder diesel, 210 kW (286 hp), 5.4 l/100 km (WLTP), all-wheel drive and a 66-litre tank: more than a thousand kilometres without stopping.',
        'The car in this contest is two years old and has covered 28,400 km with one owner; ask us for its complete service book. Beige leather, motorway driving assistance, acoustic glass, retractable tow bar. Value: €52,800.',
        'Before delivery it passes its roadworthiness test and gets four new tyres. Warranty: 24 months, parts and labour.',
      ],
    },
    quiz: {
      question: {
        fr: 'Quel est le symbole chimique de l’or ?',
        nl: 'Wat is het chemische symbool van goud?',
        en: 'What is the chemical symbol for gold?',
      },
      choices: ['Ag', 'Au', 'Fe', 'Pb'],
      correct: 'Au',
    },
    ticketPriceCents: 1990,
    totalTickets: 3000,
    demoSold: 2997,
    ends: { days: 6 },
    isActive: true,
    pictures: picturesOf('saloon', 'front', 'night', 'rear', 'detail'),
  },
]
