import type { DemoPicture, Texts } from '../demo-contest.ts'

type Car = 'fastback' | 'roadster' | 'tourer' | 'supercar' | 'saloon' | 'estate' | 'suv' | 'hatch'
type View = 'front' | 'night' | 'rear' | 'detail'

const CARS: Record<Car, Texts & { detail: Texts }> = {
  fastback: {
    fr: 'Corvane S4, coupé rouge à arrière fuyant',
    nl: 'Corvane S4, rode fastbackcoupé',
    en: 'Corvane S4, a red fastback coupé',
    detail: {
      fr: 'gros plan sur la calandre, le phare effilé et la jante avant',
      nl: 'close-up van de grille, de smalle koplamp en het voorwiel',
      en: 'close-up of the grille, the slim headlamp and the front wheel',
    },
  },
  roadster: {
    fr: 'Solane Spider, roadster bronze à capote noire',
    nl: 'Solane Spider, bronskleurige roadster met zwarte softtop',
    en: 'Solane Spider, a bronze roadster with a black soft top',
    detail: {
      fr: 'gros plan sur le phare rond et la jante à dix branches',
      nl: 'close-up van de ronde koplamp en de tienspaaksvelg',
      en: 'close-up of the rounded headlamp and the ten-spoke wheel',
    },
  },
  tourer: {
    fr: 'Méridane GT, grande routière argentée à deux portes',
    nl: 'Méridane GT, zilveren tweedeurs gran turismo',
    en: 'Méridane GT, a silver two-door grand tourer',
    detail: {
      fr: 'gros plan sur la roue avant et l’ouïe d’aile',
      nl: 'close-up van het voorwiel en de luchtuitlaat in het spatbord',
      en: 'close-up of the front wheel and the vent in the wing',
    },
  },
  supercar: {
    fr: 'Ignara V8, supersportive orange à moteur central',
    nl: 'Ignara V8, oranje supersportwagen met middenmotor',
    en: 'Ignara V8, an orange mid-engined supercar',
    detail: {
      fr: 'gros plan sur le phare et la jante noire à étrier jaune',
      nl: 'close-up van de koplamp en de zwarte velg met gele remklauw',
      en: 'close-up of the headlamp and the black wheel with its yellow caliper',
    },
  },
  saloon: {
    fr: 'Sévrane 3.0, berline bleu nuit à quatre portes',
    nl: 'Sévrane 3.0, nachtblauwe vierdeurs sedan',
    en: 'Sévrane 3.0, a midnight blue four-door saloon',
    detail: {
      fr: 'gros plan sur la calandre chromée et le phare',
      nl: 'close-up van de verchroomde grille en de koplamp',
      en: 'close-up of the chrome grille and the headlamp',
    },
  },
  estate: {
    fr: 'Sylvane Break, break vert anglais',
    nl: 'Sylvane Break, donkergroene stationwagen',
    en: 'Sylvane Break, a dark green estate car',
    detail: {
      fr: 'gros plan sur les feux arrière et le hayon',
      nl: 'close-up van de achterlichten en de achterklep',
      en: 'close-up of the rear lamps and the tailgate',
    },
  },
  suv: {
    fr: 'Karst 4, SUV gris à jantes noires',
    nl: 'Karst 4, grijze SUV met zwarte velgen',
    en: 'Karst 4, a grey SUV with black wheels',
    detail: {
      fr: 'gros plan sur la calandre et le phare à double lame',
      nl: 'close-up van de grille en de koplamp met dubbele lichtlijn',
      en: 'close-up of the grille and the twin-blade headlamp',
    },
  },
  hatch: {
    fr: 'Lumo E, compacte électrique blanche à toit noir',
    nl: 'Lumo E, witte elektrische hatchback met zwart dak',
    en: 'Lumo E, a white electric hatchback with a black roof',
    detail: {
      fr: 'gros plan sur le bandeau lumineux et le hayon',
      nl: 'close-up van de doorlopende lichtbalk en de achterklep',
      en: 'close-up of the full-width light bar and the tailgate',
    },
  },
}

const VIEWS: Record<Exclude<View, 'detail'>, Texts> = {
  front: {
    fr: 'trois quarts avant, dans un studio clair',
    nl: 'schuin van voren, in een lichte studio',
    en: 'front three-quarter view in a bright studio',
  },
  night: {
    fr: 'trois quarts avant dans la pénombre, phares allumés',
    nl: 'schuin van voren in het halfdonker, koplampen aan',
    en: 'front three-quarter view in low light, headlamps lit',
  },
  rear: {
    fr: 'trois quarts arrière, feux allumés, dans un studio sombre',
    nl: 'schuin van achteren, achterlichten aan, in een donkere studio',
    en: 'rear three-quarter view in a dark studio, tail lamps lit',
  },
}

/** Pictures of one car in the order in which they are shown, with their alternative texts. */
export const picturesOf = (car: Car, ...views: View[]): DemoPicture[] =>
  views.map((view) => {
    const name = CARS[car]
    const seen = view === 'detail' ? name.detail : VIEWS[view]
    const alt = { fr: `${name.fr}, ${seen.fr}`, nl: `${name.nl}, ${seen.nl}`, en: `${name.en}, ${seen.en}` }
    return { stem: `${car}-${view}`, alt }
  })
