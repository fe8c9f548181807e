import { formatDuration } from '#i18n/duration.ts'
import { PROMISES } from '#shared/promises.ts'
import type { PolicyBlock, PolicySummary } from '../../policies.contract.ts'
import { type PolicyFacts, facts, heading, list, summary, text } from '../policy-facts.ts'

/** Conditions of the contests in Dutch, the free entry by post among them. */
export const contestsNl = (shop: PolicyFacts): PolicyBlock[] => [
  heading('contest', 'De wedstrijd'),
  list(
    'De pagina van elke wedstrijd beschrijft de prijs en vermeldt het totale aantal tickets, de prijs per ticket en de sluitingsdatum. Het aantal tickets ligt vast bij de opening en wordt nooit verhoogd.',
    'Een wedstrijd eindigt op de getoonde sluitingsdatum, volgens de klok van onze site, ook als niet alle tickets verkocht zijn.',
    `Datums en tijden zijn die van de tijdzone ${shop.timeZone}.`,
    'Er is één winnaar per wedstrijd. Elk ticket heeft dezelfde kans om te winnen, hoe je het ook gekregen hebt: je kans is het aantal tickets dat je hebt, gedeeld door het aantal tickets dat aan het einde toegekend is.',
  ),
  heading('question', 'De vraag'),
  text(
    'Bij een wedstrijd kan een vraag over algemene kennis horen. Alleen met een juist antwoord kun je een ticket kopen; het antwoord wordt gecontroleerd als je het ticket in je winkelwagen legt en nog eens bij de betaling.',
  ),
  heading('tickets', 'Tickets kopen'),
  list(
    'Om te kopen heb je een account nodig. Je kiest het aantal tickets: minstens één en hoogstens wat er nog over is.',
    shop.pricesIncludeVat
      ? 'De prijzen zijn in euro en bevatten de btw, waarvan het tarief afhangt van je factuurland. Het besteloverzicht toont het totaal en de btw die erin zit voordat je betaalt.'
      : 'De prijzen zijn in euro. De btw, waarvan het tarief afhangt van je factuurland, komt erbij; het besteloverzicht toont de prijs, de btw en het totaal voordat je betaalt.',
    `Zodra je de betaling start, blijven je tickets ${shop.holdMinutes} minuten voor je gereserveerd. Betaal je niet binnen die tijd, dan komen ze weer in de verkoop.`,
    'Je betaalt via PayPal, dat afhankelijk van je land ook andere betaalmiddelen aanbiedt. Wij zien en bewaren je bankgegevens niet.',
    'Je krijgt je nummers zodra de betaling bevestigd is. Elk nummer is uniek binnen de wedstrijd, en de nummers worden verdeeld in een willekeurige volgorde die vastligt sinds de wedstrijd is aangemaakt: je kunt ze niet kiezen en niet voorspellen.',
    'Je vindt je nummers terug bij ‘Mijn deelnames’, waar je elk ticket als pdf kunt downloaden.',
  ),
  heading('free-entry', 'Gratis deelnemen per post'),
  text(
    'Je kunt aan elke wedstrijd deelnemen zonder iets te kopen en zonder account, met een brief of een kaart per gewone post. Je betaalt alleen de normale postzegel. Er geldt één gratis deelname per persoon en per wedstrijd, één per envelop.',
  ),
  facts(['Adres voor gratis deelnames', shop.postalAddress]),
  text('Schrijf leesbaar, in Latijnse letters:'),
  list(
    'je voornaam, je naam, je postadres en je geboortedatum;',
    'de titel van de wedstrijd waaraan je deelneemt;',
    'je antwoord op de vraag, als de wedstrijd er een stelt: het moet juist zijn;',
    'je e-mailadres, als je dat wilt: dan krijg je je nummer per e-mail.',
  ),
  text('Goed om te weten:'),
  list(
    'Je brief moet uiterlijk op de dag van de sluitingsdatum bij ons aankomen. De datum van ontvangst telt, niet die van verzending. Je moet op die dag 18 zijn, en je adres moet in een land liggen waar we tickets verkopen.',
    'Een wedstrijd kan een deel van haar nummers opzijzetten voor deelnames per post. Hoeveel, ligt vast bij de opening en staat in de voorwaarden van de wedstrijd, op de pagina van de trekking. Die nummers worden nooit verkocht; ze worden eerst toegekend, daarna de nummers die voor iedereen vrij zijn. Een uitverkochte wedstrijd neemt dus nog brieven aan zolang er zulke nummers zijn. Is er niets opzijgezet, dan neemt een wedstrijd waarvan alle nummers zijn toegekend geen aankopen en geen brieven meer aan.',
    'Wanneer we je brief registreren, krijg je meteen een nummer, in dezelfde willekeurige volgorde als de gekochte tickets. Het heeft precies dezelfde kans om te winnen. We laten je het nummer weten per e-mail, of per brief als je geen e-mailadres gaf, samen met een bewijs dat het vóór de trekking van jou was.',
    'Of iemand al deelneemt, herkennen we aan naam, adres en geboortedatum, hoe ze ook geschreven zijn. Lijken twee deelnames op elkaar, dan vergelijkt een van ons ze en beslist.',
    'Een brief die onleesbaar of onvolledig is, te laat komt of als het er meer dan één is, doet niet mee; we schrijven je waarom, als we je adres kunnen lezen. Na een onleesbare of onvolledige brief, of een fout antwoord, mag je opnieuw schrijven. We sturen geen brieven terug.',
    'Heb je een account met hetzelfde, bevestigde e-mailadres, dan staat het nummer bij ‘Mijn deelnames’.',
  ),
  heading('draw', 'De trekking en de winnaar'),
  list(
    `De trekking vindt plaats na het einde van de wedstrijd, op het tijdstip dat op de pagina van de wedstrijd staat. Je kunt ze live volgen op die pagina, op ons videokanaal (${shop.videoUrl}) en op onze pagina op sociale media (${shop.socialUrl}). Alle geldige nummers doen mee, gekocht of gratis.`,
    'Vóór de trekking publiceren we de lijst van alle deelnames, zonder namen. Tot het tijdstip dat op de pagina van de wedstrijd staat, kan iedereen bezwaar maken tegen een ontbrekende of foute deelname. Daarna wordt de lijst verzegeld: niemand kan die nog wijzigen, ook wij niet.',
    'Het winnende nummer volgt door een gepubliceerde berekening uit de verzegelde lijst en uit een openbare toevalswaarde, die een onafhankelijke bron op het tijdstip van de trekking publiceert. Niemand kan die waarde vooraf kennen of beïnvloeden, ook wij niet.',
    'Iedereen kan de trekking controleren: de pagina van de wedstrijd geeft alle bestanden, controleert ze in je browser en legt uit hoe je ze zonder onze site controleert.',
    'Blijft de toevalswaarde uit binnen de termijn die de voorwaarden van de trekking noemen, of blijft er geen geldige deelname over, dan wordt de wedstrijd geannuleerd.',
    `De winnaar moet de prijs binnen ${formatDuration(shop.drawClaimMinutes * 60, 'nl')} na de trekking opeisen, via de e-mail die we sturen: de link daarin leidt naar de pagina daarvoor. Een winnaar met een account vindt die pagina ook bij ‘Mijn deelnames’. Wie per post zonder e-mailadres meedeed, krijgt een brief met een link en een code en mag ook terugschrijven; de termijn loopt dan vanaf de dag waarop we die brief versturen.`,
    'Na die termijn, of als de winnaar niet meerderjarig is, door de voorwaarden is uitgesloten of dit reglement heeft overtreden, gaat het recht op de prijs verloren. De reden wordt gepubliceerd, en op dezelfde manier wordt een andere winnaar getrokken uit de andere nummers van de verzegelde lijst.',
    'De winnaar toont een identiteitsbewijs. De prijs wordt overhandigd zoals die beschreven is; voor de overhandiging, de inschrijving en eventuele kosten geldt wat op de pagina van de wedstrijd staat. Persoonlijke belastingen in het eigen land zijn voor rekening van de winnaar.',
    'Het resultaat wordt gepubliceerd als ticketnummer. De voornaam en woonplaats van de winnaar, of een foto, publiceren we alleen met toestemming, die op elk moment kan worden ingetrokken.',
  ),
  heading('cancellation', 'Annulering van een wedstrijd'),
  text(
    `Moet een wedstrijd geannuleerd worden, dan is er geen trekking en worden alle betaalde tickets volledig terugbetaald binnen maximaal ${PROMISES.refundDays} dagen. Je hoeft niets te doen. Vragen? ${shop.contactEmail}.`,
  ),
]

/** The rules on one screen in Dutch. */
export const summaryNl = (shop: PolicyFacts): PolicySummary =>
  summary('In het kort', 'De hoofdstukken hieronder zeggen alles, en zijn wat geldt.', {
    cost: [
      'Wat het kost',
      shop.pricesIncludeVat
        ? 'Elke wedstrijd vermeldt de prijs per ticket, btw inbegrepen, en het aantal tickets, dat nooit stijgt.'
        : 'Elke wedstrijd vermeldt de prijs per ticket, zonder btw, en het aantal tickets, dat nooit stijgt.',
    ],
    who: ['Wie mag meedoen', 'Wie minstens 18 is, met één account per persoon, waar meedoen is toegestaan.'],
    post: [
      'Gratis per post',
      `Eén brief per persoon en per wedstrijd, met dezelfde kans, ontvangen uiterlijk op de sluitingsdatum: ${shop.postalAddress}.`,
    ],
    draw: [
      'Hoe de winnaar wordt getrokken',
      'Eén winnaar uit alle geldige nummers, door een openbare toevalswaarde die niemand vooraf kent. Iedereen kan het controleren.',
    ],
    claim: [
      'Als je wint',
      `Je krijgt een e-mail. Eis de prijs op binnen ${formatDuration(shop.drawClaimMinutes * 60, 'nl')} na de trekking; daarna wordt een andere winnaar getrokken.`,
    ],
    refund: [
      'Je geld terug',
      `Een geannuleerde wedstrijd betalen we binnen ${PROMISES.refundDays} dagen volledig terug. Een toegekend ticket betalen we anders in principe niet terug.`,
    ],
    contact: ['Vragen', `${shop.contactEmail}: antwoord binnen ${PROMISES.replyHours} uur.`],
  })
