import { formatDuration } from '#i18n/duration.ts'
import { companyIn } from '#i18n/company.ts'
import { languageCookie } from '#shared/languages.ts'
import type { PolicyBlock } from '../../policies.contract.ts'
import { type PolicyFacts, facts, heading, list, text } from '../policy-facts.ts'

const privacy = (shop: PolicyFacts): PolicyBlock[] => {
  const { place, area, isBritish } = companyIn(shop, 'nl')
  return [
    text(
      `${shop.companyName} is verantwoordelijk voor de verwerking van je gegevens. We verzamelen alleen wat nodig is om de wedstrijden te laten werken. We verkopen geen gegevens, maken geen reclameprofielen en gebruiken geen cookies voor marketing of bezoekersmeting.`,
    ),
    heading('data-kept', 'Wat we bewaren, waarom en hoelang'),
    facts(
      [
        'Je account',
        'Gebruikersnaam, e-mailadres, telefoonnummer, taal, eventuele partnercode en een onomkeerbare vingerafdruk (hash) van je wachtwoord. Als we het account schorsen: de reden en de datums. Grondslag: de overeenkomst. Tot je account wordt gesloten. Na een wijziging van je e-mailadres ook het vorige, 3 dagen lang, zodat je de wijziging ongedaan kunt maken.',
      ],
      [
        'Je logins',
        'Gebruikte browser en systeem, begin, laatste gebruik en einde van elke login, om je ingelogd te houden en zodat je logins kunt beëindigen die je niet herkent. Grondslag: de overeenkomst. Een login vervalt na 7 dagen zonder gebruik en uiterlijk na 30 dagen.',
      ],
      [
        'Je bestellingen en betalingen',
        `Inhoud, gegeven antwoord, bedragen, factuurland, land van je PayPal-rekening en van je betaalmiddel (voor de btw), datums en betalingskenmerken. Grondslag: de overeenkomst, daarna de wettelijke boekhoudplicht. Zodra je account gesloten is, en uiterlijk ${shop.keepOrderYears} jaar na het einde van het betrokken jaar, noemen ze niemand meer. Wat PayPal ons over een betaling laat weten, naam en e-mailadres inbegrepen, wordt na ${shop.keepNotificationDays} dagen gewist. Zolang tickets gereserveerd zijn ook een onomkeerbare vingerafdruk (hash) van je internetverbinding, zodat niemand ze allemaal reserveert.`,
      ],
      [
        'Je tickets',
        'Wedstrijd, nummer, datum, gekocht of gratis. Grondslag: de overeenkomst en ons gerechtvaardigd belang om te kunnen aantonen dat een trekking eerlijk verliep. Even lang als de bestelling, en zonder je naam zodra je account gesloten is.',
      ],
      [
        'Je favorieten en herinneringen',
        'De wedstrijden die je bij je favorieten hebt gezet en de herinneringen waar je om vroeg, met de datums, om ze je te tonen en je die e-mails te sturen. Grondslag: de overeenkomst; voor herinneringen je toestemming, die je met één klik in elke herinnering intrekt. Tot je ze verwijdert, hoogstens 90 dagen na de trekking, of tot je account gesloten wordt.',
      ],
      [
        'Je deelnames per post',
        `Naam, postadres, geboortedatum, e-mailadres als je het gaf, antwoord, de datums en onze beslissing, om je een nummer toe te kennen en maar één deelname per persoon toe te laten. Grondslag: de overeenkomst en ons gerechtvaardigd belang bij een eerlijke wedstrijd. Gewist ${shop.keepPostDays} dagen na de termijn om de prijs op te eisen, die ${shop.claimsEndAfterDays} dagen na de sluitingsdatum voorbij is, of ${formatDuration(shop.drawClaimMinutes * 60, 'nl')} na de trekking als dat later is; wordt een wedstrijd geannuleerd, dan ${shop.keepPostDays} dagen daarna. Het nummer, het bewijs ervan en de beslissing blijven, zonder jou te noemen. De brief zelf wordt op hetzelfde moment vernietigd.`,
      ],
      [
        'Uitsluitingen',
        'E-mailadres of PayPal-ID van wie niet kan meedoen vanwege ons personeel of op eigen verzoek, de reden en de datum. Grondslag: ons gerechtvaardigd belang bij eerlijke trekkingen, of je verzoek. Tot de reden vervalt. Als je account wordt gesloten, blijft alleen een onomkeerbare vingerafdruk (hash) van het adres, zodat de uitsluiting doorgaat.',
      ],
      [
        'Je claim van een prijs',
        `Als je hebt gewonnen: naam, adres, telefoon, je bevestiging dat je 18 bent en niet uitgesloten, dat we een identiteitsbewijs zagen (nooit een kopie) en de dag van de overhandiging, om je de prijs te geven. Grondslag: de overeenkomst. Naam, adres en telefoon worden ${shop.keepClaimDays} dagen na de overhandiging gewist. Je voornaam en woonplaats, of een foto, worden alleen gepubliceerd met je toestemming, die je altijd kunt intrekken op de pagina van de claim.`,
      ],
      [
        'Je bezwaren',
        `Wat je ons meldt tegen een deelname aan een wedstrijd, en ons antwoord. Grondslag: ons gerechtvaardigd belang bij eerlijke trekkingen. Gewist ${shop.keepClaimDays} dagen nadat de prijs is toegekend of de wedstrijd is geannuleerd.`,
      ],
      [
        'Je berichten',
        `Naam, e-mailadres en tekst, en onze antwoorden. Grondslag: ons gerechtvaardigd belang om je te antwoorden. Gewist ${shop.keepMessageMonths} maanden na het laatste antwoord, of samen met je account. Een uur lang ook een onomkeerbare vingerafdruk (hash) van je internetverbinding, tegen massaal versturen.`,
      ],
      [
        'De e-mails die we sturen',
        `Adres, onderwerp en tekst. Grondslag: de overeenkomst. Op onze servers gewist ${shop.keepEmailDays} dagen na het versturen, of zodra je account gesloten is.`,
      ],
      [
        'De identiteit van de winnaar',
        'Identiteitsbewijs en contactgegevens, alleen aan de winnaar gevraagd. Grondslag: de overeenkomst en onze wettelijke plichten. Tot de prijs overhandigd is, behalve wat we wettelijk moeten bewaren.',
      ],
      [
        'Beveiligingslogboek',
        `Gelukte en geweigerde logins, gewijzigde wachtwoorden en e-mailadressen, geweigerde toegang, bereikte limieten, downloads van je gegevens en gesloten accounts: het tijdstip, het nummer van je account en een onomkeerbare vingerafdruk (hash) van je internetverbinding, zonder je naam of e-mailadres. Grondslag: ons gerechtvaardigd belang om je account te beschermen. ${shop.keepSecurityDays} dagen, of tot je account gesloten wordt.`,
      ],
      [
        'Notities van ons team',
        'Wat we noteren bij een bestelling of een terugbetaling, zolang de bestelling je noemt; bij een storing 90 dagen lang. Grondslag: ons gerechtvaardigd belang om je vraag goed te behandelen.',
      ],
      [
        'Wat ons team doet',
        'Wie van ons team je account heeft ingekeken of iets heeft gewijzigd, wanneer en waarom, met het nummer van je account en zonder je naam of e-mailadres. Grondslag: ons gerechtvaardigd belang om te kunnen aantonen wie wat gedaan heeft. Dit logboek kan niet gewijzigd worden; zodra je account gesloten is, staat het nummer voor niemand.',
      ],
      [
        'Technische logboeken',
        'Tijdstip, pagina en duur van elk verzoek, zonder je naam of e-mailadres. Grondslag: ons gerechtvaardigd belang bij een veilige site. Hoogstens 30 dagen.',
      ],
    ),
    heading('data-shared', 'Wie ze nog ontvangt'),
    list(
      'PayPal, voor de betaling, volgens zijn eigen privacybeleid. Het programma van PayPal wordt alleen in de winkelwagen geladen.',
      'Onze leveranciers voor hosting en e-mail, die volgens onze instructies werken.',
      'Overheden, als de wet dat vereist.',
    ),
    text(
      area === 'EEA'
        ? `De vennootschap is gevestigd ${place}. Elke doorgifte buiten de Europese Economische Ruimte gebeurt met de waarborgen die de wet voorschrijft.`
        : `De vennootschap is gevestigd ${place}, waarvan de Europese Commissie het beschermingsniveau heeft erkend. Elke doorgifte naar een ander land gebeurt met de waarborgen die de wet voorschrijft.`,
    ),
    heading('data-rights', 'Je rechten'),
    text(
      `Je kunt je gegevens inzien, laten verbeteren, laten wissen, de verwerking laten beperken of je gegevens laten overdragen, en bezwaar maken tegen een verwerking op grond van ons gerechtvaardigd belang. Mail naar ${shop.contactEmail}: we antwoorden binnen een maand. Bij ‘Mijn gegevens’ kun je zelf je e-mailadres en telefoonnummer aanpassen, alles downloaden wat we over je bewaren en je account sluiten.`,
    ),
    text(
      `Je kunt een klacht indienen bij de gegevensbeschermingsautoriteit van je land: de GBA in België, de AP in Nederland, de CNIL in Frankrijk, de CNPD in Luxemburg, de autoriteit van je deelstaat in Duitsland${isBritish ? ', de ICO in het Verenigd Koninkrijk' : ''}.`,
    ),
  ]
}

const cookies = (shop: PolicyFacts): PolicyBlock[] => [
  text(
    'We slaan in je browser alleen op wat nodig is voor de dienst waar je om vraagt. Daarom vragen we je geen toestemming. Dit is alles wat de site opslaat:',
  ),
  heading('cookie-list', 'Cookies'),
  facts(
    [languageCookie(shop.publicUrl), 'De taal die je gekozen hebt. Eén jaar.'],
    ['sidebar_state', 'Of het zijmenu open of ingeklapt is. 7 dagen.'],
  ),
  heading('storage-list', 'Lokale opslag van de browser'),
  facts(
    ['access', 'Je toegang terwijl je ingelogd bent, elke 5 minuten vernieuwd. Gewist als je uitlogt.'],
    ['refresh', 'Wat die toegang vernieuwt, hoogstens 30 dagen. Gewist als je uitlogt.'],
    [
      'session_expired',
      'Dat je login verlopen is, zodat elk tabblad je terugbrengt naar waar je was. Gewist als je weer inlogt.',
    ],
    ['billing_country', 'Het factuurland dat je in de winkelwagen gekozen hebt. Gewist als je uitlogt.'],
    [
      'contact_sent',
      'Wanneer je voor het laatst een bericht hebt gestuurd met het contactformulier. Gewist als je uitlogt.',
    ],
    [
      'draw_register',
      'De sleutel en de laatste ondertekende stand van het register van de trekkingen die deze browser zag, en sinds wanneer: zo merkt hij wat achteraf veranderd wordt. Het zegt niets over jou. Gewist als je uitlogt.',
    ],
  ),
  heading('cache-storage-list', 'Cacheopslag van de browser'),
  facts(['page-language', 'De taal van de laatste pagina, voor de pagina die je zonder verbinding ziet.']),
  heading('session-storage-list', 'Opslag van het tabblad, gewist als je het sluit'),
  facts(
    [
      'volant-pending-order',
      'De bestelling waarvan de betaling nog bevestigd moet worden, zodat je niet twee keer betaalt.',
    ],
    ['volant-notice', 'Een bericht dat we je op de volgende pagina tonen.'],
    [
      'volant-typed',
      'Wat je hebt ingevuld op een pagina die niet kon laden, zonder wachtwoorden, tot de volgende poging.',
    ],
    ['react-router-scroll-positions', 'Waar je op een pagina was, zodat je daar terugkomt.'],
  ),
  heading('others-storage', 'En anderen'),
  text(
    'In de winkelwagen slaat PayPal zijn eigen cookies op, nodig voor de betaling en tegen fraude. De video’s van de trekkingen zijn gewone links: de platforms slaan niets op zolang je ze niet opent.',
  ),
  text(
    'Je kunt alles wissen in de instellingen van je browser. Je wordt dan uitgelogd en je keuzes worden vergeten.',
  ),
]

/** Data protection and browser storage in Dutch. */
export const dataNl = { privacy, cookies }
