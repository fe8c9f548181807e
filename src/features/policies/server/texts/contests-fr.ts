import { formatDuration } from '#i18n/duration.ts'
import { PROMISES } from '#shared/promises.ts'
import type { PolicyBlock, PolicySummary } from '../../policies.contract.ts'
import { type PolicyFacts, facts, heading, list, summary, text } from '../policy-facts.ts'

/** Conditions of the contests in French, the free entry by post among them. */
export const contestsFr = (shop: PolicyFacts): PolicyBlock[] => [
  heading('contest', 'Le concours'),
  list(
    'La page de chaque concours décrit le lot et indique le nombre total de billets, le prix du billet et la date de clôture. Le nombre de billets est fixé à l’ouverture et n’augmente jamais.',
    'Un concours se termine à la date de clôture affichée, à l’heure de notre site, même si tous les billets ne sont pas vendus.',
    `Les dates et heures sont celles du fuseau ${shop.timeZone}.`,
    'Il y a un seul gagnant par concours. Chaque billet a la même chance de gagner, quelle que soit la façon dont il a été obtenu : votre chance est le nombre de vos billets divisé par celui des billets attribués à la fin du concours.',
  ),
  heading('question', 'La question'),
  text(
    'Un concours peut poser une question de culture générale. Seule une bonne réponse permet d’acheter un billet ; la réponse est vérifiée à l’ajout au panier et de nouveau au paiement.',
  ),
  heading('tickets', 'Acheter des billets'),
  list(
    'Pour acheter, il faut un compte. Vous choisissez le nombre de billets, au moins un et au plus ce qui reste.',
    shop.pricesIncludeVat
      ? 'Les prix sont en euros et comprennent la TVA, dont le taux dépend de votre pays de facturation. Le récapitulatif montre le total à payer et la TVA qu’il contient avant que vous ne payiez.'
      : 'Les prix sont en euros. La TVA, dont le taux dépend de votre pays de facturation, s’y ajoute ; le récapitulatif montre le prix, la TVA et le total à payer avant que vous ne payiez.',
    `Dès que vous lancez le paiement, vos billets vous sont réservés pendant ${shop.holdMinutes} minutes. Sans paiement dans ce délai, ils sont remis en vente.`,
    'Le paiement passe par PayPal, qui propose aussi d’autres moyens selon votre pays. Nous ne voyons ni ne conservons vos données bancaires.',
    'Vos numéros vous sont attribués une fois le paiement confirmé. Chaque numéro est unique dans son concours, et les numéros sont attribués dans un ordre aléatoire, fixé à la création du concours : on ne peut ni les choisir ni les deviner.',
    'Vous retrouvez vos numéros dans « Mes participations », où chaque billet se télécharge en PDF.',
  ),
  heading('free-entry', 'Participer gratuitement par courrier'),
  text(
    'Vous pouvez participer à chaque concours sans rien acheter et sans compte, en envoyant une lettre ou une carte par courrier ordinaire. Seul l’affranchissement normal est à votre charge. Une participation gratuite est admise par personne et par concours, une par enveloppe.',
  ),
  facts(['Adresse des participations gratuites', shop.postalAddress]),
  text('Écrivez lisiblement, en alphabet latin :'),
  list(
    'votre prénom, votre nom, votre adresse postale et votre date de naissance ;',
    'le titre du concours auquel vous participez ;',
    'votre réponse à la question, si le concours en pose une : elle doit être juste ;',
    'votre adresse e-mail, si vous le souhaitez : votre numéro vous est alors envoyé par e-mail.',
  ),
  text('Bon à savoir :'),
  list(
    'Votre courrier doit nous parvenir au plus tard le jour de la clôture du concours. C’est la date de réception qui compte, non celle de l’envoi. Vous devez avoir 18 ans ce jour-là, et votre adresse doit être dans un pays où nous vendons des billets.',
    'Un concours peut mettre de côté une partie de ses numéros pour les participations par courrier. Leur nombre est fixé à l’ouverture et figure dans les conditions du concours, sur la page de son tirage. Ces numéros ne sont jamais vendus ; ils sont attribués en premier, puis ceux qui sont libres pour tous. Un concours épuisé accepte donc encore du courrier tant qu’il en reste. Si rien n’est mis de côté, un concours dont tous les numéros sont attribués n’accepte plus ni achat ni courrier.',
    'Dès que nous enregistrons votre courrier, vous recevez un numéro, attribué dans le même ordre aléatoire que les billets achetés. Il a exactement la même chance de gagner. Nous vous l’indiquons par e-mail, ou par lettre sans adresse e-mail, avec une preuve qu’il était le vôtre avant le tirage.',
    'Nous reconnaissons qu’une personne participe déjà à son nom, à son adresse et à sa date de naissance, quelle que soit la façon de les écrire. Si deux participations se ressemblent, l’un de nous les compare et décide.',
    'Un courrier illisible, incomplet, tardif ou en surnombre ne participe pas ; nous vous écrivons pourquoi, si nous pouvons lire votre adresse. Après un courrier illisible ou incomplet, ou une mauvaise réponse, vous pouvez écrire de nouveau. Nous ne renvoyons pas les courriers reçus.',
    'Si vous avez un compte avec la même adresse e-mail, confirmée, le numéro figure dans « Mes participations ».',
  ),
  heading('draw', 'Le tirage et le gagnant'),
  list(
    `Le tirage a lieu après la fin du concours, à l’heure qu’indique la page du concours. Vous pouvez le suivre en direct sur cette page, sur notre chaîne vidéo (${shop.videoUrl}) et sur notre page de réseau social (${shop.socialUrl}). Tous les numéros valables, achetés ou gratuits, y participent.`,
    'Avant le tirage, nous publions la liste de toutes les participations, sans les noms. Jusqu’à l’heure qu’indique la page du concours, chacun peut contester une participation manquante ou erronée. Ensuite, la liste est scellée : plus personne ne peut la modifier, pas même nous.',
    'Le numéro gagnant découle, par un calcul publié, de la liste scellée et d’une valeur aléatoire publique qu’une source indépendante publie à l’heure du tirage. Personne ne peut connaître ni influencer cette valeur d’avance, pas même nous.',
    'Chacun peut vérifier le tirage : la page du concours en donne tous les fichiers, les vérifie dans votre navigateur et explique comment les vérifier sans notre site.',
    'Si la valeur aléatoire n’est pas publiée dans le délai que fixent les conditions du tirage, ou s’il ne reste aucune participation valable, le concours est annulé.',
    `Le gagnant doit réclamer son lot au plus tard ${formatDuration(shop.drawClaimMinutes * 60, 'fr')} après le tirage, par l’e-mail que nous lui envoyons : son lien mène à la page de réclamation. S’il a un compte, il la trouve aussi sous « Mes participations ». Une personne qui a participé par courrier sans adresse e-mail reçoit une lettre avec un lien et un code, et peut aussi nous répondre par courrier ; le délai court alors du jour où nous postons cette lettre.`,
    'Passé ce délai, ou si le gagnant n’est pas majeur, est exclu par les conditions ou a enfreint ce règlement, il perd son droit au lot. Le motif est publié, et un autre gagnant est tiré de la même façon parmi les autres numéros de la liste scellée.',
    'Le gagnant présente une pièce d’identité. Le lot est remis tel qu’il est décrit ; la remise, l’immatriculation et les frais éventuels suivent ce qu’indique la page du concours. Les impôts dus par le gagnant dans son pays restent à sa charge.',
    'Le résultat est publié sous forme de numéro de billet. Nous ne publions le prénom et la localité du gagnant, ou une photo, qu’avec son accord, qu’il peut retirer à tout moment.',
  ),
  heading('cancellation', 'Annulation d’un concours'),
  text(
    `Si un concours doit être annulé, aucun tirage n’a lieu et tous les billets payés sont remboursés intégralement dans un délai maximal de ${PROMISES.refundDays} jours. Vous n’avez rien à faire. Pour toute question : ${shop.contactEmail}.`,
  ),
]

/** The rules on one screen in French. */
export const summaryFr = (shop: PolicyFacts): PolicySummary =>
  summary('L’essentiel', 'Les chapitres ci-dessous disent tout, et ce sont eux qui font foi.', {
    cost: [
      'Le prix',
      shop.pricesIncludeVat
        ? 'Chaque concours indique le prix du billet, TVA comprise, et le nombre de billets, qui n’augmente jamais.'
        : 'Chaque concours indique le prix du billet, hors TVA, et le nombre de billets, qui n’augmente jamais.',
    ],
    who: ['Qui peut participer', 'Dès 18 ans, un compte par personne, là où la participation est permise.'],
    post: [
      'Gratuitement par courrier',
      `Un courrier par personne et par concours, avec la même chance, reçu au plus tard le jour de la clôture : ${shop.postalAddress}.`,
    ],
    draw: [
      'Comment le gagnant est tiré',
      'Un seul gagnant parmi tous les numéros valables, par une valeur aléatoire publique que personne ne peut connaître d’avance. Chacun peut le vérifier.',
    ],
    claim: [
      'Si vous gagnez',
      `Un e-mail vous prévient. Réclamez le lot au plus tard ${formatDuration(shop.drawClaimMinutes * 60, 'fr')} après le tirage ; ensuite, un autre gagnant est tiré.`,
    ],
    refund: [
      'Les remboursements',
      `Un concours annulé est remboursé intégralement sous ${PROMISES.refundDays} jours. Sinon, un billet attribué n’est en principe pas remboursé.`,
    ],
    contact: ['Une question', `${shop.contactEmail} : réponse sous ${PROMISES.replyHours} heures.`],
  })
