import { PROMISES } from '#shared/promises.ts'
import { ACCESSIBILITY_UPDATED, type PolicyText, facts, list, text } from '../policy-facts.ts'

/** The accessibility statement in Dutch. */
export const accessibilityNl: PolicyText = (shop) => ({
  title: 'Toegankelijkheids\u00adverklaring',
  lead: `${shop.brand} is er voor iedereen: met het toetsenbord, met een schermlezer, met grote letters of zonder animaties. Hier lees je wat we daarvoor doen en wat er nog ontbreekt.`,
  updated: ACCESSIBILITY_UPDATED,
  sections: [
    {
      id: 'standard',
      title: 'De norm die we nastreven',
      blocks: [
        text(
          `Deze verklaring geldt voor de site ${shop.publicUrl}, geëxploiteerd door ${shop.companyName}. We streven naar niveau AA van de WCAG 2.2-richtlijnen en naar de Europese norm EN 301 549, in de geest van richtlijn (EU) 2019/882 (de Europese toegankelijkheidsrichtlijn).`,
        ),
        text(
          'We beschouwen de site als gedeeltelijk conform: de punten van deel 4 ontbreken nog of zijn nog niet gecontroleerd.',
        ),
      ],
    },
    {
      id: 'measures',
      title: 'Wat de site je biedt',
      blocks: [
        list(
          'Alles wat we zelf hebben gebouwd, werkt met het toetsenbord, ook de galerij, de zoom en het kiezen van het aantal. Het actieve element is altijd zichtbaar.',
          'Pagina’s hebben koppen en herkenningspunten, afbeeldingen een tekstalternatief in jouw taal, velden een vast opschrift.',
          'Meldingen, fouten en prijswijzigingen worden voorgelezen door schermlezers. Een foutmelding zegt om welk veld het gaat en hoe je die verbetert.',
          'De tekst blijft leesbaar op een scherm van 320 pixels breed, zonder horizontaal te scrollen. De kleuren volgen het lichte of donkere thema van je toestel.',
          `Tijdens het betalen zijn je tickets ${shop.holdMinutes} minuten gereserveerd. De pagina waarschuwt je vóór het einde; je kunt de reservering één keer verlengen, en je winkelwagen blijft hoe dan ook gevuld.`,
          'Animaties stoppen als je toestel daarom vraagt.',
          'De startpagina, de wedstrijden, het reglement en ons adres kun je zonder JavaScript lezen.',
        ),
      ],
    },
    {
      id: 'testing',
      title: 'Hoe we dat controleren',
      blocks: [
        facts(
          [
            'Automatische controle',
            'Voor elke update onderzoekt axe-core de openbare pagina’s en die van je account, in drie talen, op een klein en een groot scherm, licht en donker. Eén gebrek houdt de update tegen.',
          ],
          [
            'Scenario’s in een echte browser',
            'Een registratie, een aankoop en het versturen van een bericht worden stap voor stap herhaald, op telefoon en computer.',
          ],
          [
            'Eigen controle',
            'We lopen elke pagina zelf na. Dat is een zelfbeoordeling: geen onafhankelijke instantie heeft die bevestigd.',
          ],
        ),
      ],
    },
    {
      id: 'shortcomings',
      title: 'Wat er nog ontbreekt',
      blocks: [
        list(
          'De site is nog niet uitgeprobeerd door mensen met een beperking, en ook niet van begin tot eind met NVDA, JAWS, VoiceOver of TalkBack. Een automatische controle vindt maar een deel van de hindernissen.',
          'Het betaalvenster is van PayPal. Wij kunnen het niet controleren en niet verbeteren.',
          'De trekkingen worden live uitgezonden op videoplatforms. Ondertitels of audiodescriptie kunnen daar ontbreken: vraag ons de uitslag per e-mail.',
          'Voor inloggen, kopen en berichten via het formulier is JavaScript nodig.',
          'De pdf’s (tickets en reglement) zijn getagd en vermelden hun taal, maar zijn niet getoetst aan de norm PDF/UA.',
        ),
      ],
    },
    {
      id: 'report',
      title: 'Een hindernis melden',
      blocks: [
        text(
          `Houdt een hindernis je tegen? Laat het ons weten via het contactformulier of via ${shop.contactEmail}: vermeld de pagina, wat je wilde doen en, als je dat wilt, het hulpmiddel dat je gebruikt. We antwoorden binnen ${PROMISES.replyHours} uur, en als de hindernis niet meteen weg kan, zoeken we samen met jou een andere oplossing.`,
        ),
      ],
    },
    {
      id: 'enforcement',
      title: 'Als ons antwoord niet volstaat',
      blocks: [
        text(
          'Je kunt terecht bij de instantie die in jouw land, of in het land waar de exploitant gevestigd is, over toegankelijkheid waakt. Zij vertelt je welke stappen je kunt zetten.',
        ),
      ],
    },
  ],
})
