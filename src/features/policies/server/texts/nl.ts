import { companyIn } from '#i18n/company.ts'
import { PROMISES } from '#shared/promises.ts'
import { type PolicyText, TERMS_UPDATED, facts, list, sentences, text } from '../policy-facts.ts'
import { contestsNl, summaryNl } from './contests-nl.ts'
import { dataNl } from './data-nl.ts'

/** The rules in Dutch. */
export const nl: PolicyText = (shop) => {
  const company = companyIn(shop, 'nl')
  return {
    title: 'Reglement en juridische informatie',
    lead: `De regels van onze wedstrijden op ${shop.brand}, jouw rechten en onze beloften, in gewone taal. Ze gelden zodra je deze site gebruikt.`,
    updated: TERMS_UPDATED,
    summary: summaryNl(shop),
    sections: [
      {
        id: 'legal-notices',
        title: 'Juridische informatie',
        blocks: [
          ...(shop.demo
            ? [
                text(
                  'Dit is een demonstratie: de vennootschap en de adressen hieronder zijn verzonnen, geen enkele betaling is echt en er valt geen auto te winnen. Stuur voorlopig niets op per post.',
                ),
              ]
            : []),
          text(
            `De site ${shop.publicUrl} (‘${shop.brand}’) wordt uitgegeven en geëxploiteerd door een ${company.form} die ${company.place} geregistreerd is. Die organiseert de wedstrijden.`,
          ),
          facts(
            ['Vennootschap', shop.companyName],
            [company.numberName, shop.companyNumber],
            ['Register', company.register],
            ['Statutaire zetel', shop.companyAddress],
            ['Btw-nummer', shop.vatNumber],
            ['Toezichthouder', company.authority],
            ['E-mail', shop.contactEmail],
          ),
          text(
            `Heb je een vraag of een klacht? Neem contact met ons op via het contactformulier of per e-mail: we antwoorden binnen ${PROMISES.replyHours} uur.`,
          ),
        ],
      },
      {
        id: 'purpose',
        title: 'Doel',
        blocks: [
          text(
            `${shop.brand} organiseert wedstrijden waarmee je meestal een auto kunt winnen. Elke wedstrijd heeft een vooraf bepaald aantal tickets, een prijs per ticket, een sluitingsdatum en één winnaar.`,
          ),
          text(
            'Dit reglement bepaalt hoe je de site gebruikt en aan de wedstrijden deelneemt. Door een account aan te maken, een ticket te kopen of per post deel te nemen, ga je ermee akkoord. Voor jou telt de versie die op het moment van je deelname gepubliceerd is.',
          ),
        ],
      },
      {
        id: 'terms-of-use',
        title: 'Gebruiksvoorwaarden',
        blocks: [
          list(
            'De site en de wedstrijden zijn alleen voor meerderjarigen: je moet minstens 18 jaar zijn. We controleren de leeftijd en de identiteit van de winnaar voordat we de prijs overhandigen.',
            'Registreren is gratis. Iedereen maakt één account aan, op eigen naam, met juiste en actuele gegevens.',
            'Je wachtwoord is persoonlijk. Laat het ons meteen weten als je denkt dat iemand anders het gebruikt.',
            'Je neemt deel voor jezelf. Meerdere accounts, robots, valse identiteiten en elke poging om een trekking te beïnvloeden zijn verboden.',
            'De wedstrijden zijn bedoeld voor mensen die wonen in een land waar deelnemen toegestaan is. Ga na wat in jouw land geldt voordat je deelneemt.',
            'Bestuurders en werknemers van de vennootschap en hun huisgenoten nemen niet deel, niet door te kopen en niet per post. Dat geldt ook voor wie ons heeft gevraagd om te worden uitgesloten. Tickets die eerder zijn gekocht, blijven geldig. Onze site weigert de accounts van al deze mensen, hun deelnames per post en betalingen van hun PayPal-rekeningen; is er toch geld afgeschreven, dan betalen we alles terug en krijg je er geen tickets voor.',
          ),
          text(
            'Bij fraude of een ernstige overtreding kunnen we een account schorsen nadat we je de reden hebben meegedeeld; je kunt ons per e-mail antwoorden. Tickets die eerlijk gekocht zijn, blijven in de trekking of worden terugbetaald.',
          ),
          text(
            'Je kunt je account zelf sluiten, bij ‘Mijn gegevens’, of ons een bericht sturen, zodra er geen bestelling, terugbetaling of wedstrijd van jou meer loopt, of eerder als je van je tickets afziet. Geef alleen uit wat je kunt missen: een wedstrijd moet leuk blijven.',
          ),
        ],
      },
      {
        id: 'contests',
        title: 'Wedstrijdvoorwaarden',
        blocks: contestsNl(shop),
      },
      {
        id: 'intellectual-property',
        title: 'Intellectuele eigendom',
        blocks: [
          text(
            `De naam ${shop.brand}, de teksten, de beelden, de vormgeving en de software van de site zijn eigendom van de vennootschap of worden gebruikt met toestemming van de rechthebbenden. Je mag ze bekijken, delen via een link en dit reglement voor jezelf afdrukken; voor elk ander gebruik heb je onze schriftelijke toestemming nodig.`,
          ),
          text(
            'Merken en modelnamen van auto’s zijn van hun eigenaars. We noemen ze om de prijs te beschrijven; dat betekent niet dat die merken de wedstrijd organiseren of sponsoren.',
          ),
        ],
      },
      { id: 'data-protection', title: 'Gegevensbescherming', blocks: dataNl.privacy(shop) },
      { id: 'cookies', title: 'Cookies en lokale opslag', blocks: dataNl.cookies(shop) },
      {
        id: 'liability',
        title: 'Aansprakelijkheid',
        blocks: [
          text(
            'Wij staan in voor het goede verloop van de wedstrijden, het bewaren van je tickets en het overhandigen van de prijs zoals die beschreven is. We zorgen ervoor dat de site beschikbaar is, maar kunnen niet garanderen dat dat elk ogenblik zo is.',
          ),
          list(
            'We zijn niet aansprakelijk voor storingen waar we geen vat op hebben: je verbinding, je toestel, de post, de betaaldienst of de videoplatforms. Een onderbroken betaling gaat nooit verloren: je krijgt je tickets, of je krijgt het bedrag terug.',
            'Door overmacht kan een trekking later plaatsvinden. Dat melden we dan op de pagina van de wedstrijd.',
            'De sites waarnaar we verwijzen, hebben hun eigen regels.',
          ),
          text(
            'Niets in dit reglement sluit onze aansprakelijkheid uit of beperkt die waar de wet dat verbiedt: overlijden of lichamelijk letsel door onze nalatigheid, bedrog en dwingende consumentenrechten.',
          ),
        ],
      },
      {
        id: 'applicable-law',
        title: 'Toepasselijk recht',
        blocks: [
          sentences(
            `Op dit reglement is het ${company.law} van toepassing. Ben je consument, dan behoud je de bescherming van de dwingende regels van het land waar je woont en kun je daar naar de rechter stappen.`,
            company.courts === undefined
              ? undefined
              : `Voor andere geschillen zijn de ${company.courts} bevoegd.`,
          ),
          text(
            `Laat het ons eerst weten via ${shop.contactEmail}: we zoeken graag samen naar een oplossing. Blijkt een bepaling ongeldig, dan blijven de andere gelden. Het reglement bestaat in het Frans, het Nederlands en het Engels; bij twijfel geldt de lezing die voor de consument het gunstigst is.`,
          ),
        ],
      },
      {
        id: 'refunds',
        title: 'Terugbetalingen',
        blocks: [
          text(
            'Een ticket dat je gekregen hebt, doet mee aan de trekking en wordt in principe niet terugbetaald. In deze gevallen betalen we je wel volledig terug, btw inbegrepen en zonder kosten:',
          ),
          list(
            `Geannuleerde wedstrijd: alle betaalde tickets worden terugbetaald binnen maximaal ${PROMISES.refundDays} dagen na de aankondiging.`,
            'Betaling ontvangen terwijl je de tickets niet meer kunt krijgen: je krijgt het bedrag terug zonder dat je erom hoeft te vragen.',
            'Twee keer betaald voor dezelfde bestelling: de tweede betaling krijg je terug.',
            'Bestelling door iemand anders met jouw account: neem contact met ons op, we bekijken elk geval.',
          ),
          text(
            'We betalen terug via het betaalmiddel waarmee je gekocht hebt. Terugbetaalde nummers doen niet meer mee aan de trekking en worden nooit opnieuw toegekend.',
          ),
          text(
            `De rechten die de wet van jouw land je dwingend geeft, met inbegrip van een eventueel herroepingsrecht, blijven onverkort gelden: mail vóór de trekking naar ${shop.contactEmail} en vermeld het nummer van je bestelling.`,
          ),
        ],
      },
    ],
  }
}
