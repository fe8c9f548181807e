import { formatDuration } from '#i18n/duration.ts'
import { companyIn } from '#i18n/company.ts'
import { languageCookie } from '#shared/languages.ts'
import type { PolicyBlock } from '../../policies.contract.ts'
import { type PolicyFacts, facts, heading, list, text } from '../policy-facts.ts'

const privacy = (shop: PolicyFacts): PolicyBlock[] => {
  const { place, area, isBritish } = companyIn(shop, 'fr')
  return [
    text(
      `${shop.companyName} est responsable du traitement de vos données. Nous ne recueillons que ce qu’il faut pour faire fonctionner les concours. Nous ne vendons aucune donnée, ne faisons aucun profilage publicitaire et n’utilisons aucun cookie de marketing ou de mesure d’audience.`,
    ),
    heading('data-kept', 'Ce que nous conservons, pourquoi et combien de temps'),
    facts(
      [
        'Votre compte',
        'Nom d’utilisateur, e-mail, numéro de téléphone, langue, code partenaire éventuel et une empreinte irréversible de votre mot de passe. Si nous suspendons le compte : la raison et les dates. Base : le contrat. Jusqu’à la fermeture du compte. Après un changement d’adresse e-mail, l’ancienne aussi, pendant 3 jours, pour que vous puissiez annuler le changement.',
      ],
      [
        'Vos connexions',
        'Navigateur et système utilisés, début, dernière utilisation et fin de chaque connexion, pour que vous puissiez fermer celles que vous ne reconnaissez pas et pour vous éviter de vous reconnecter sans cesse. Base : le contrat. Une connexion expire après 7 jours sans utilisation et au plus tard après 30 jours.',
      ],
      [
        'Vos commandes et paiements',
        `Contenu, réponse donnée, montants, pays de facturation, pays de votre compte PayPal et de votre moyen de paiement (pour la TVA), dates et références du paiement. Base : le contrat, puis l’obligation légale de tenir des comptes. Dès la fermeture de votre compte, et au plus tard ${shop.keepOrderYears} ans après la fin de l’année concernée, ils ne nomment plus personne. Ce que PayPal nous communique sur un paiement, nom et e-mail compris, est effacé après ${shop.keepNotificationDays} jours. S’y ajoute, le temps de la réservation, une empreinte irréversible de votre connexion Internet, pour que personne ne réserve tous les billets.`,
      ],
      [
        'Vos billets',
        'Concours, numéro, date, achat ou participation gratuite. Base : le contrat et notre intérêt légitime à pouvoir prouver la régularité d’un tirage. Aussi longtemps que la commande, et sans votre nom dès la fermeture de votre compte.',
      ],
      [
        'Vos favoris et rappels',
        'Les concours que vous avez ajoutés à vos favoris et les rappels que vous avez demandés, avec les dates, pour vous les montrer et vous envoyer ces e-mails. Base : le contrat ; pour les rappels, votre consentement, que vous retirez d’un clic dans chacun d’eux. Jusqu’à ce que vous les supprimiez, au plus 90 jours après le tirage, ou jusqu’à la fermeture de votre compte.',
      ],
      [
        'Vos participations par courrier',
        `Nom, adresse postale, date de naissance, adresse e-mail si vous l’avez indiquée, réponse, dates et notre décision, pour vous attribuer un numéro et n’admettre qu’une participation par personne. Base : le contrat et notre intérêt légitime à un concours équitable. Effacés ${shop.keepPostDays} jours après le délai de réclamation du lot, qui est passé ${shop.claimsEndAfterDays} jours après la clôture, ou ${formatDuration(shop.drawClaimMinutes * 60, 'fr')} après le tirage s’il est plus tardif ; si un concours est annulé, ${shop.keepPostDays} jours après l’annulation. Le numéro, sa preuve et la décision restent, sans vous nommer. Le courrier lui-même est détruit au même moment.`,
      ],
      [
        'Les exclusions',
        'Adresse e-mail ou identifiant PayPal de qui ne peut pas participer en raison de notre personnel ou à sa propre demande, la raison et la date. Base : notre intérêt légitime à des tirages équitables, ou votre demande. Jusqu’à ce que la raison ait cessé. À la fermeture de votre compte, seule reste une empreinte irréversible (hachage) de l’adresse, pour que l’exclusion dure.',
      ],
      [
        'Votre réclamation d’un lot',
        `Si vous avez gagné : nom, adresse, téléphone, votre confirmation que vous avez 18 ans et n’êtes pas exclu, le fait que nous avons vu une pièce d’identité (jamais de copie) et le jour de la remise, pour vous remettre le lot. Base : le contrat. Nom, adresse et téléphone sont effacés ${shop.keepClaimDays} jours après la remise. Votre prénom et votre localité, ou une photo, ne sont publiés qu’avec votre accord, que vous pouvez retirer à tout moment sur la page de la réclamation.`,
      ],
      [
        'Vos contestations',
        `Ce que vous nous dites contre une participation d’un concours, et notre réponse. Base : notre intérêt légitime à des tirages équitables. Effacés ${shop.keepClaimDays} jours après que le lot a été attribué ou le concours annulé.`,
      ],
      [
        'Vos messages',
        `Nom, e-mail et texte, et nos réponses. Base : notre intérêt légitime à vous répondre. Effacés ${shop.keepMessageMonths} mois après la dernière réponse, ou avec votre compte. S’y ajoute, pendant une heure, une empreinte irréversible de votre connexion Internet, contre les envois en masse.`,
      ],
      [
        'Les e-mails que nous envoyons',
        `Adresse, objet et texte. Base : le contrat. Effacés de nos serveurs ${shop.keepEmailDays} jours après l’envoi, ou à la fermeture de votre compte.`,
      ],
      [
        'L’identité du gagnant',
        'Pièce d’identité et coordonnées, demandées au seul gagnant. Base : le contrat et nos obligations légales. Jusqu’à la remise du lot, sauf ce que la loi impose de garder.',
      ],
      [
        'Journal de sécurité',
        `Connexions réussies ou refusées, mots de passe et adresses e-mail modifiés, accès refusés, limites atteintes, téléchargements de vos données, comptes fermés : l’heure, le numéro de votre compte et une empreinte irréversible de votre connexion Internet, sans votre nom ni votre e-mail. Base : notre intérêt légitime à protéger votre compte. ${shop.keepSecurityDays} jours, ou jusqu’à la fermeture de votre compte.`,
      ],
      [
        'Les notes de notre équipe',
        'Ce que nous notons sur une commande ou un remboursement, aussi longtemps que la commande vous nomme ; sur un incident, pendant 90 jours. Base : notre intérêt légitime à traiter votre demande correctement.',
      ],
      [
        'Ce que fait notre équipe',
        'Qui, dans notre équipe, a consulté votre compte ou modifié quelque chose, quand et pourquoi, avec le numéro de votre compte, sans votre nom ni votre e-mail. Base : notre intérêt légitime à pouvoir prouver qui a fait quoi. Ce journal ne peut pas être modifié ; une fois votre compte fermé, son numéro ne désigne plus personne.',
      ],
      [
        'Journaux techniques',
        'Heure, page et durée de chaque demande, sans votre nom ni votre e-mail. Base : notre intérêt légitime à la sécurité du site. 30 jours au plus.',
      ],
    ),
    heading('data-shared', 'Qui d’autre les reçoit'),
    list(
      'PayPal, pour le paiement, selon sa propre politique de confidentialité. Son logiciel n’est chargé que dans le panier.',
      'Nos prestataires d’hébergement et d’envoi d’e-mails, qui agissent sur nos instructions.',
      'Les autorités, quand la loi l’exige.',
    ),
    text(
      area === 'EEA'
        ? `La société est établie ${place}. Tout transfert hors de l’Espace économique européen se fait avec les garanties que prévoit la loi.`
        : `La société est établie ${place}, dont la Commission européenne a reconnu le niveau de protection. Tout transfert vers un autre pays se fait avec les garanties que prévoit la loi.`,
    ),
    heading('data-rights', 'Vos droits'),
    text(
      `Vous pouvez demander l’accès à vos données, leur rectification, leur effacement, la limitation de leur traitement ou leur portabilité, et vous opposer à un traitement fondé sur notre intérêt légitime. Écrivez à ${shop.contactEmail} : nous répondons dans le mois. Dans « Mes données », vous pouvez vous-même corriger votre adresse e-mail et votre numéro de téléphone, télécharger tout ce que nous conservons sur vous et fermer votre compte.`,
    ),
    text(
      `Vous pouvez saisir l’autorité de protection des données de votre pays : la CNIL en France, l’APD en Belgique, la CNPD au Luxembourg, l’AP aux Pays-Bas, l’autorité de votre Land en Allemagne${isBritish ? ', l’ICO au Royaume-Uni' : ''}.`,
    ),
  ]
}

const cookies = (shop: PolicyFacts): PolicyBlock[] => [
  text(
    'Nous n’enregistrons dans votre navigateur que ce qui est nécessaire au service que vous demandez. C’est pourquoi nous n’affichons pas de demande de consentement. Voici tout ce que le site enregistre :',
  ),
  heading('cookie-list', 'Cookies'),
  facts(
    [languageCookie(shop.publicUrl), 'La langue que vous avez choisie. Un an.'],
    ['sidebar_state', 'Le menu latéral ouvert ou replié. 7 jours.'],
  ),
  heading('storage-list', 'Stockage local du navigateur'),
  facts(
    ['access', 'Votre accès pendant une connexion, renouvelé toutes les 5 minutes. Effacé à la déconnexion.'],
    ['refresh', 'Ce qui renouvelle cet accès, 30 jours au plus. Effacé à la déconnexion.'],
    [
      'session_expired',
      'Que votre connexion a expiré, pour que chaque onglet vous ramène où vous étiez. Effacé à la connexion suivante.',
    ],
    ['billing_country', 'Le pays de facturation choisi dans le panier. Effacé à la déconnexion.'],
    [
      'contact_sent',
      'Le moment de votre dernier message par le formulaire de contact. Effacé à la déconnexion.',
    ],
    [
      'draw_register',
      'La clé et le dernier état signé du registre des tirages que ce navigateur a vus, et depuis quand : il remarque ainsi ce qui serait changé après coup. Cela ne dit rien de vous. Effacé à la déconnexion.',
    ],
  ),
  heading('cache-storage-list', 'Stockage en cache du navigateur'),
  facts(['page-language', 'La langue de la dernière page, pour la page affichée sans connexion.']),
  heading('session-storage-list', 'Stockage de l’onglet, effacé quand vous le fermez'),
  facts(
    [
      'volant-pending-order',
      'La commande dont le paiement attend sa confirmation, pour ne pas vous faire payer deux fois.',
    ],
    ['volant-notice', 'Un message à vous montrer à la page suivante.'],
    [
      'volant-typed',
      'Ce que vous avez saisi sur une page qui n’a pas pu se charger, sans les mots de passe, jusqu’au nouvel essai.',
    ],
    ['react-router-scroll-positions', 'L’endroit où vous étiez dans une page, pour y revenir.'],
  ),
  heading('others-storage', 'Et chez d’autres'),
  text(
    'Dans le panier, PayPal enregistre ses propres cookies, nécessaires au paiement et à la lutte contre la fraude. Les vidéos des tirages sont de simples liens : les plateformes n’enregistrent rien tant que vous ne les ouvrez pas.',
  ),
  text(
    'Vous pouvez tout effacer dans les réglages de votre navigateur. Vous serez alors déconnecté et vos choix seront oubliés.',
  ),
]

/** Data protection and browser storage in French. */
export const dataFr = { privacy, cookies }
