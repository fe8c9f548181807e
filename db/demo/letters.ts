/** What was written in the demonstration before the first visit: messages to the shop, cards by post, notes of staff. */
import type { Language } from '#shared/languages.ts'

export interface DemoMessage {
  name: string
  /** A buyer's place among those of the language, who then has written it; null for somebody without an account. */
  buyer: number | null
  language: Language
  hoursAgo: number
  text: string
  /** `{name}` stands for who has written. */
  answer?: { template: string; afterHours: number; subject: string; text: string }
  /** Closed without an answer. */
  closedAs?: 'spam'
}

/** The newest first. One of the unanswered ones has waited for longer than was promised. */
export const MESSAGES: readonly DemoMessage[] = [
  {
    name: 'Nele',
    buyer: 3,
    language: 'nl',
    hoursAgo: 0.7,
    text: 'Hallo, ik heb zonet vijf tickets gekocht. Kan ik de nummers ergens afdrukken zonder de e-mail te openen?',
  },
  {
    name: 'Antoine',
    buyer: 5,
    language: 'fr',
    hoursAgo: 5,
    text: 'Bonjour, je déménage le mois prochain. Dois-je changer mon adresse dès maintenant pour recevoir la voiture si je gagne ?',
  },
  {
    name: 'Lena',
    buyer: null,
    language: 'en',
    hoursAgo: 15,
    text: 'Hello, do you deliver the car to Germany, and who pays for the registration there?',
  },
  {
    name: 'Carole',
    buyer: 9,
    language: 'fr',
    hoursAgo: 31,
    text: 'Bonjour, mon paiement a été débité deux fois d’après ma banque. Je n’ai pourtant qu’une commande dans mon compte. Pouvez-vous vérifier ?',
  },
  {
    name: 'Promo Traffic',
    buyer: null,
    language: 'en',
    hoursAgo: 44,
    text: 'We bring 10,000 visitors to your web site for a small price. Reply now.',
    closedAs: 'spam',
  },
  {
    name: 'Ruben',
    buyer: 12,
    language: 'nl',
    hoursAgo: 52,
    text: 'Hoe gaat de trekking precies in zijn werk? Is die ergens live te volgen?',
    answer: {
      template: 'howDrawWorks',
      afterHours: 4,
      subject: 'De trekking',
      text: 'Hallo {name}\n\nDe trekking begint twee uur na het einde van de wedstrijd en is live te volgen. De datum staat op de pagina van de wedstrijd.\n\nVriendelijke groet\nHélène van Volant',
    },
  },
  {
    name: 'Julie',
    buyer: 0,
    language: 'fr',
    hoursAgo: 98,
    text: 'Bonjour, j’ai payé hier soir mais je ne retrouve pas l’e-mail avec mes billets.',
    answer: {
      template: 'ticketMissing',
      afterHours: 2,
      subject: 'Vos billets',
      text: 'Bonjour {name},\n\nVos billets sont dans votre compte, sous « Mes participations ». Nous venons aussi de vous renvoyer le reçu par e-mail.\n\nBien à vous,\nHélène, de l’équipe Volant',
    },
  },
  {
    name: 'Marc',
    buyer: null,
    language: 'fr',
    hoursAgo: 190,
    text: 'Bonjour, peut-on participer gratuitement par courrier depuis le Luxembourg ?',
    answer: {
      template: 'freeEntry',
      afterHours: 19,
      subject: 'La participation gratuite par courrier',
      text: 'Bonjour {name},\n\nOui. Envoyez une carte avec votre nom, votre adresse, votre date de naissance, le concours choisi et votre réponse à la question. Le règlement donne l’adresse.\n\nBien à vous,\nHélène, de l’équipe Volant',
    },
  },
]

export interface DemoCard {
  /** The contest's slug. */
  contest: string
  /** Received and registered so many days ago. */
  daysAgo: number
  name: string
  address: string
  postcode: string
  city: string
  country: string
  born: string
  language: Language
  /** A wrong answer to the contest's question. */
  wrong?: boolean
  /** The place in this list of the card of the same person. */
  duplicateOf?: number
  /** The place of a similar card that staff have judged to be of somebody else. */
  otherThan?: number
}

const CORVANE = 'corvane-s4-rouge-rubis'
const LUMO = 'lumo-e-electrique-avec-borne'
const KARST = 'karst-4-expedition-avec-tente-de-toit'
const SOLANE = 'solane-spider-bronze-et-capote-noire'

const card = (
  contest: string,
  daysAgo: number,
  [name, address, postcode, city, country]: readonly [string, string, string, string, string],
  [born, language]: readonly [string, DemoCard['language']],
  more: Pick<DemoCard, 'wrong' | 'duplicateOf' | 'otherThan'> = {},
): DemoCard => ({ contest, daysAgo, name, address, postcode, city, country, born, language, ...more })

/** In the order of registration: the eldest first. */
export const CARDS: readonly DemoCard[] = [
  card(CORVANE, 13, ['Paul Delvigne', 'Rue du Moulin 14', '5000', 'Namur', 'BE'], ['1951-03-08', 'fr']),
  card(CORVANE, 13, ['Rita Cools', 'Kerkstraat 52', '2800', 'Mechelen', 'BE'], ['1963-11-21', 'nl']),
  card(
    CORVANE,
    12,
    ['Odile Ferrand', '3 place du Marché', '59300', 'Valenciennes', 'FR'],
    ['1948-06-02', 'fr'],
  ),
  card(SOLANE, 12, ['Gerrit Bos', 'Molenweg 7', '4811 AB', 'Breda', 'NL'], ['1957-01-30', 'nl']),
  card(LUMO, 11, ['Arlette Marchal', 'Rue des Tilleuls 3', '6700', 'Arlon', 'BE'], ['1955-09-14', 'fr']),
  card(LUMO, 11, ['Jean Hoffmann', '21, rue de la Gare', '8510', 'Redange', 'LU'], ['1960-04-17', 'fr']),
  card(SOLANE, 10, ['Mieke Adams', 'Stationsplein 9', '3500', 'Hasselt', 'BE'], ['1972-08-25', 'nl']),
  // Father and son at the same address.
  card(CORVANE, 9, ['Luc Peters', 'Dorpsstraat 18', '9000', 'Gent', 'BE'], ['1958-02-11', 'nl']),
  card(CORVANE, 9, ['Luk Peters', 'Dorpsstraat 18', '9000', 'Gent', 'BE'], ['1986-07-04', 'nl'], {
    otherThan: 7,
  }),
  card(
    LUMO,
    8,
    ['Yvonne Besson', '8 impasse des Lilas', '08000', 'Charleville-Mézières', 'FR'],
    ['1944-12-19', 'fr'],
  ),
  card(LUMO, 8, ['Willem Prins', 'Havenkade 33', '3011 GZ', 'Rotterdam', 'NL'], ['1969-05-06', 'nl'], {
    wrong: true,
  }),
  card(KARST, 7, ['Ingrid Sommer', 'Lindenstraße 40', '52062', 'Aachen', 'DE'], ['1971-10-10', 'en']),
  card(
    KARST,
    7,
    ['Denise Collard', 'Avenue des Combattants 66', '4020', 'Liège', 'BE'],
    ['1953-01-27', 'fr'],
  ),
  card(CORVANE, 6, ['DELVIGNE Paul', 'r. du Moulin, 14', '5000', 'Namur', 'BE'], ['1951-03-08', 'fr'], {
    duplicateOf: 0,
  }),
  card(KARST, 5, ['Frans Geerts', 'Processieweg 2', '3300', 'Tienen', 'BE'], ['1949-06-23', 'nl']),
  card(SOLANE, 5, ['Monique Rolland', '12 rue Basse', '54400', 'Longwy', 'FR'], ['1961-03-15', 'fr']),
  card(LUMO, 4, ['Theo Jacobs', 'Parallelweg 101', '6221 BD', 'Maastricht', 'NL'], ['1966-09-01', 'nl']),
  card(KARST, 3, ['Suzanne Petit', 'Chemin de Halage 5', '7500', 'Tournai', 'BE'], ['1950-11-11', 'fr']),
  card(CORVANE, 2, ['Karel Verlinden', 'Bosstraat 27', '1800', 'Vilvoorde', 'BE'], ['1959-04-09', 'nl']),
  card(LUMO, 2, ['Nadine Schmit', '4, rue Principale', '5612', 'Mondorf', 'LU'], ['1974-02-28', 'fr']),
  card(KARST, 1, ['Guy Lefort', '17 rue de Lille', '59200', 'Tourcoing', 'FR'], ['1956-08-03', 'fr']),
  card(SOLANE, 1, ['Anneke Vos', 'Dijkstraat 12', '8011 XS', 'Zwolle', 'NL'], ['1968-12-05', 'nl']),
]

/** What staff have written about orders and accounts. */
export const NOTES = {
  customer: 'Remboursement demandé par le client',
  asked: 'Remboursement demandé par e-mail avant la clôture.',
  twice: 'Commande passée deux fois par erreur.',
  tooMany: 'Quatre billets de trop.',
  goodwill: 'Geste commercial : le reçu est arrivé très tard.',
  partnerGone: 'Le partenaire de recharge a cessé son activité.',
  wrongCar: 'L’acheteuse s’est trompée de voiture et a écrit le jour même.',
  toRepeat:
    'Payée après la fin du blocage, plus assez de billets. PayPal a refusé le remboursement : à refaire.',
  threeAccounts: 'Trois comptes avec la même adresse et la même carte.',
  phoned: 'A téléphoné : voulait six billets, pas dix.',
} as const
