import type { FastifyRequest } from 'fastify'
import type { SdkTexts } from '../sdk/types.d.ts'
import type { Language } from '../model.ts'

/** The words of the script's buttons and overlay. */
export const sdkTexts: Record<Language, SdkTexts> = {
  fr: {
    pay: 'Payer avec {brand}',
    checkout: 'Commander avec {brand}',
    buyNow: 'Acheter avec {brand}',
    payWith: 'Payer avec {brand} (prestataire de test)',
    group: 'Moyens de paiement',
    note: 'Prestataire de test local : aucun argent réel.',
    overlayTitle: 'Le paiement continue dans une autre fenêtre',
    overlayText: 'Vous ne la voyez plus ? Affichez-la pour terminer votre paiement de test.',
    overlayShow: 'Afficher la fenêtre',
    overlayCancel: 'Annuler le paiement',
    continueTitle: 'Choisissez un autre moyen de paiement',
    continueText: 'Le moyen choisi a été refusé. Rouvrez la fenêtre de paiement pour en prendre un autre.',
    continueShow: 'Rouvrir la fenêtre',
  },
  nl: {
    pay: 'Betaal met {brand}',
    checkout: 'Bestel met {brand}',
    buyNow: 'Koop met {brand}',
    payWith: 'Betaal met {brand} (testbetaaldienst)',
    group: 'Betaalwijzen',
    note: 'Lokale testbetaaldienst: er gaat geen echt geld om.',
    overlayTitle: 'De betaling loopt verder in een ander venster',
    overlayText: 'Zie je het niet meer? Toon het venster om je testbetaling af te ronden.',
    overlayShow: 'Venster tonen',
    overlayCancel: 'Betaling annuleren',
    continueTitle: 'Kies een andere betaalwijze',
    continueText:
      'De gekozen betaalwijze is geweigerd. Open het betaalvenster opnieuw om een andere te nemen.',
    continueShow: 'Venster opnieuw openen',
  },
  en: {
    pay: 'Pay with {brand}',
    checkout: 'Check out with {brand}',
    buyNow: 'Buy with {brand}',
    payWith: 'Pay with {brand} (test provider)',
    group: 'Ways to pay',
    note: 'Local test provider: no real money.',
    overlayTitle: 'Payment continues in another window',
    overlayText: 'Lost sight of it? Bring it back to finish your test payment.',
    overlayShow: 'Show the window',
    overlayCancel: 'Cancel the payment',
    continueTitle: 'Choose another way to pay',
    continueText: 'The one you chose was declined. Open the payment window again to take another.',
    continueShow: 'Open the window again',
  },
}

const frApproval = {
  title: 'Paiement de test',
  banner: 'Prestataire de test local. Aucun argent réel, aucun mot de passe.',
  payTo: 'Paiement à {merchant}',
  order: 'Commande',
  items: 'Articles',
  subtotal: 'Sous-total',
  tax: 'TVA',
  shipping: 'Livraison',
  discount: 'Remise',
  total: 'Total',
  details: 'Détail de la commande',
  account: 'Compte acheteur de test',
  accountHelp: 'Chaque compte se comporte autrement au moment de l’encaissement.',
  otherAccount: 'Ou une autre adresse (elle paie normalement)',
  country: 'Pays du compte',
  noCountry: 'Non communiqué',
  instrument: 'Moyen de paiement',
  instrumentDefault: 'Celui du compte',
  instrumentOther: 'Autre carte, acceptée',
  declinedNote: 'Le moyen de paiement a été refusé. Choisissez-en un autre.',
  approve: 'Payer {amount}',
  continue: 'Continuer avec {amount}',
  decline: 'Payer avec une carte refusée',
  cancel: 'Annuler et revenir chez {merchant}',
  badAddress: 'Cette adresse e-mail n’est pas valable.',
  notFoundTitle: 'Commande introuvable',
  notFound: 'Le prestataire de test ne connaît pas cette commande. Retournez au panier et recommencez.',
  paidTitle: 'Commande déjà payée',
  paid: 'Cette commande est payée : il n’y a plus rien à faire ici.',
  voidTitle: 'Commande annulée',
  void: 'Cette commande n’est plus valable. Retournez au panier et recommencez.',
  back: 'Retour chez {merchant}',
  doneTitle: 'Paiement approuvé',
  done: 'Vous pouvez fermer cette fenêtre et revenir à la boutique.',
  cancelledTitle: 'Paiement annulé',
  opening: 'Ouverture du paiement de test…',
  buyers: {
    'buyer@buyer.test': 'Paie normalement',
    'declined@buyer.test': 'Refusé tant qu’il ne change pas de carte',
    'pending@buyer.test': 'Reste en attente jusqu’à libération',
    'timeout@buyer.test': 'Paie, mais la réponse n’arrive pas à temps',
    'http500@buyer.test': 'Deux erreurs 500, puis paie',
    'lost@buyer.test': 'Paie, mais la réponse est une erreur 500',
    'tampered@buyer.test': 'Le montant encaissé est faux',
  },
}

export type ApprovalTexts = typeof frApproval

export const approvalTexts: Record<Language, ApprovalTexts> = {
  fr: frApproval,
  nl: {
    title: 'Testbetaling',
    banner: 'Lokale testbetaaldienst. Geen echt geld, geen wachtwoord.',
    payTo: 'Betaling aan {merchant}',
    order: 'Bestelling',
    items: 'Artikelen',
    subtotal: 'Subtotaal',
    tax: 'Btw',
    shipping: 'Verzending',
    discount: 'Korting',
    total: 'Totaal',
    details: 'Overzicht van de bestelling',
    account: 'Testkoper',
    accountHelp: 'Elk account gedraagt zich anders bij het innen.',
    otherAccount: 'Of een ander adres (betaalt gewoon)',
    country: 'Land van de rekening',
    noCountry: 'Niet meegedeeld',
    instrument: 'Betaalwijze',
    instrumentDefault: 'Die van het account',
    instrumentOther: 'Andere kaart, geaccepteerd',
    declinedNote: 'De betaalwijze is geweigerd. Kies een andere.',
    approve: '{amount} betalen',
    continue: 'Doorgaan met {amount}',
    decline: 'Betalen met een geweigerde kaart',
    cancel: 'Annuleren en terug naar {merchant}',
    badAddress: 'Dit e-mailadres klopt niet.',
    notFoundTitle: 'Bestelling niet gevonden',
    notFound:
      'De testbetaaldienst kent deze bestelling niet. Ga terug naar je winkelwagen en probeer het opnieuw.',
    paidTitle: 'Bestelling al betaald',
    paid: 'Deze bestelling is betaald: je hoeft hier niets meer te doen.',
    voidTitle: 'Bestelling vervallen',
    void: 'Deze bestelling geldt niet meer. Ga terug naar je winkelwagen en probeer het opnieuw.',
    back: 'Terug naar {merchant}',
    doneTitle: 'Betaling goedgekeurd',
    done: 'Je kunt dit venster sluiten en teruggaan naar de winkel.',
    cancelledTitle: 'Betaling geannuleerd',
    opening: 'De testbetaling wordt geopend…',
    buyers: {
      'buyer@buyer.test': 'Betaalt gewoon',
      'declined@buyer.test': 'Geweigerd tot er een andere kaart is',
      'pending@buyer.test': 'Blijft in behandeling tot vrijgave',
      'timeout@buyer.test': 'Betaalt, maar het antwoord komt te laat',
      'http500@buyer.test': 'Twee keer fout 500, dan betaald',
      'lost@buyer.test': 'Betaalt, maar het antwoord is fout 500',
      'tampered@buyer.test': 'Het geïnde bedrag klopt niet',
    },
  },
  en: {
    title: 'Test payment',
    banner: 'Local test provider. No real money, no password.',
    payTo: 'Payment to {merchant}',
    order: 'Order',
    items: 'Items',
    subtotal: 'Subtotal',
    tax: 'VAT',
    shipping: 'Shipping',
    discount: 'Discount',
    total: 'Total',
    details: 'Order details',
    account: 'Test buyer',
    accountHelp: 'Each account behaves differently when the payment is captured.',
    otherAccount: 'Or another address (it simply pays)',
    country: 'Country of the account',
    noCountry: 'Not given',
    instrument: 'Way to pay',
    instrumentDefault: 'The account’s own',
    instrumentOther: 'Another card, accepted',
    declinedNote: 'The payment was declined. Choose another way to pay.',
    approve: 'Pay {amount}',
    continue: 'Continue with {amount}',
    decline: 'Pay with a card that is declined',
    cancel: 'Cancel and return to {merchant}',
    badAddress: 'This email address is not valid.',
    notFoundTitle: 'Order not found',
    notFound: 'The test provider does not know this order. Go back to your cart and try again.',
    paidTitle: 'Order already paid',
    paid: 'This order is paid: there is nothing left to do here.',
    voidTitle: 'Order void',
    void: 'This order is no longer valid. Go back to your cart and try again.',
    back: 'Back to {merchant}',
    doneTitle: 'Payment approved',
    done: 'You can close this window and return to the shop.',
    cancelledTitle: 'Payment cancelled',
    opening: 'Opening the test payment…',
    buyers: {
      'buyer@buyer.test': 'Simply pays',
      'declined@buyer.test': 'Declined until another card is chosen',
      'pending@buyer.test': 'Stays pending until released',
      'timeout@buyer.test': 'Pays, but the answer comes too late',
      'http500@buyer.test': 'Two errors 500, then pays',
      'lost@buyer.test': 'Pays, but the answer is an error 500',
      'tampered@buyer.test': 'The captured amount is wrong',
    },
  },
}

/** `fill('Pay {amount}', { amount: '€ 5,00' })` */
export const fill = (text: string, values: Record<string, string>): string =>
  text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)

const languages: readonly Language[] = ['fr', 'nl', 'en']

const isLanguage = (text: string): text is Language => languages.some((language) => language === text)

/** The first of the preferred languages (`fr_BE`, `nl-BE`), then the browser's list, that is one of ours. */
export function languageOf(
  request: FastifyRequest,
  fallback: Language,
  ...preferred: readonly string[]
): Language {
  const listed = (request.headers['accept-language'] ?? '').split(',')
  for (const locale of [...preferred, ...listed]) {
    const short = locale.trim().slice(0, 2).toLowerCase()
    if (isLanguage(short)) return short
  }
  return fallback
}
