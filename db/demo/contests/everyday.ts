import type { DemoEntry } from '../demo-contest.ts'
import { picturesOf } from './pictures.ts'

/** Cars for every day. */
export const everydayEntries: readonly DemoEntry[] = [
  {
    slug: 'lumo-e-electrique-avec-borne',
    plate: 'LUMO E',
    title: {
      fr: 'Lumo E électrique avec borne',
      nl: 'Elektrische Lumo E met laadpaal',
      en: 'Electric Lumo E with home charger',
    },
    description: {
      fr: [
        'La Lumo E mesure 4,06 m et se gare partout. Batterie de 64 kWh, 150 kW (204 ch), 430 km d’autonomie WLTP ; sur une borne rapide, elle passe de 10 à 80 % en 28 minutes. Le coffre prend 360 litres, le toit noir et la pompe à chaleur sont de série.',
        'Le gagnant reçoit une voiture neuve et une borne murale de 11 kW, posée par un électricien agréé jusqu’à quinze mètres du tableau. Le câble pour les bornes publiques est fourni. Valeur de l’ensemble : 31 400 €.',
        'La batterie est garantie huit ans ou 160 000 km. La voiture arrive chargée, avec une heure d’explications à domicile.',
      ],
      nl: [
        'De Lumo E is 4,06 m lang en past in elk parkeervak. Batterij van 64 kWh, 150 kW (204 pk), 430 km WLTP-bereik; aan een snellader gaat hij in 28 minuten van 10 naar 80%. In de bagageruimte past 360 liter; zwart dak en warmtepomp zijn standaard.',
        'De winnaar krijgt een nieuwe auto en een wandlader van 11 kW, geplaatst door een erkende elektricien tot vijftien meter van de zekeringkast. De kabel voor openbare laadpalen zit erbij. Samen goed voor € 31.400.',
        'Op de batterij zit acht jaar of 160.000 km garantie. De auto komt geladen aan, en we leggen je thuis een uur lang alles uit.',
      ],
      en: [
        'The Lumo E is 4.06 m long and parks anywhere. A 64 kWh battery, 150 kW (204 hp) and 430 km of WLTP range; a rapid charger takes it from 10 to 80% in 28 minutes. The boot holds 360 litres; black roof and heat pump are standard.',
        'The winner receives a new car and an 11 kW wall charger, fitted by a certified electrician up to fifteen metres from the fuse box. The cable for public charging points is included. Total value: €31,400.',
        'The battery is guaranteed for eight years or 160,000 km. The car arrives charged, and we spend an hour with you explaining it.',
      ],
    },
    quiz: {
      question: {
        fr: 'Dans quelle unité exprime-t-on la capacité de la batterie d’une voiture électrique ?',
        nl: 'In welke eenheid druk je de capaciteit van de batterij van een elektrische auto uit?',
        en: 'Which unit is used for the capacity of an electric car’s battery?',
      },
      choices: ['Nm', 'kWh', 'km/h', 'bar'],
      correct: 'kWh',
    },
    ticketPriceCents: 199,
    totalTickets: 18_000,
    demoSold: 2260,
    ends: { days: 26 },
    isActive: true,
    pictures: picturesOf('hatch', 'front', 'detail', 'night', 'rear'),
  },
  {
    slug: 'karst-4-expedition-avec-tente-de-toit',
    plate: 'KARST 4',
    title: {
      fr: 'Karst 4 Expédition avec tente de toit',
      nl: 'Karst 4 Expeditie met daktent',
      en: 'Karst 4 Expedition with roof tent',
    },
    description: {
      fr: [
        'Le Karst 4 quitte la route sans crainte : 24 cm de garde au sol, quatre roues motrices, blocage de différentiel arrière. Hybride rechargeable de 185 kW (252 ch), il roule 70 km à l’électricité la semaine et tracte 2 100 kg le week-end.',
        'La version Expédition ajoute une tente de toit pour deux adultes, un auvent, un réfrigérateur de 35 litres et des protections sous le châssis. Véhicule de démonstration, 3 800 km. Valeur : 47 900 €.',
        'Livraison à domicile, avec tout l’équipement déjà monté.',
      ],
      nl: [
        'De Karst 4 is niet bang voor onverharde wegen: 24 cm bodemvrijheid, vierwielaandrijving, sper op het achterdifferentieel. Als plug-inhybride met 185 kW (252 pk) rijdt hij doordeweeks 70 km elektrisch en trekt hij in het weekend 2.100 kg.',
        'De Expeditie-uitvoering heeft een daktent voor twee volwassenen, een luifel, een koelkast van 35 liter en een beschermde onderkant. Demonstratiewagen met 3.800 km. Waarde: € 47.900.',
        'We leveren aan huis, met alles gemonteerd.',
      ],
      en: [
        'The Karst 4 is not afraid to leave the road: 24 cm of ground clearance, four-wheel drive, a locking rear differential. As a plug-in hybrid with 185 kW (252 hp) it covers 70 km on electricity during the week and tows 2,100 kg at the weekend.',
        'The Expedition version adds a roof tent for two adults, an awning, a 35-litre fridge and underbody protection. Demonstration car, 3,800 km. Value: €47,900.',
        'Delivered to your home with everything fitted.',
      ],
    },
    quiz: {
      question: {
        fr: 'À quelle température l’eau bout-elle au niveau de la mer ?',
        nl: 'Bij welke temperatuur kookt water op zeeniveau?',
        en: 'At what temperature does water boil at sea level?',
      },
      choices: ['80 °C', '90 °C', '100 °C', '120 °C'],
      correct: '100 °C',
    },
    ticketPriceCents: 450,
    totalTickets: 12_000,
    demoSold: 1033,
    reservePercent: 2,
    ends: { days: 33 },
    isActive: true,
    pictures: picturesOf('suv', 'front', 'night', 'detail', 'rear'),
  },
]
