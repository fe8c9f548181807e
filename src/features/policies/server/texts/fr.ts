import { companyIn } from '#i18n/company.ts'
import { PROMISES } from '#shared/promises.ts'
import { type PolicyText, TERMS_UPDATED, facts, list, sentences, text } from '../policy-facts.ts'
import { contestsFr, summaryFr } from './contests-fr.ts'
import { dataFr } from './data-fr.ts'

/** The rules in French, the source of the other two languages. */
export const fr: PolicyText = (shop) => {
  const company = companyIn(shop, 'fr')
  return {
    title: 'Règlement et mentions légales',
    lead: `Les règles de nos concours sur ${shop.brand}, vos droits et nos engagements, en clair. Elles s’appliquent dès que vous utilisez ce site.`,
    updated: TERMS_UPDATED,
    summary: summaryFr(shop),
    sections: [
      {
        id: 'legal-notices',
        title: 'Mentions légales',
        blocks: [
          ...(shop.demo
            ? [
                text(
                  'Ceci est une démonstration : la société et les adresses ci-dessous sont inventées, aucun paiement n’est réel et aucune voiture n’est à gagner. N’envoyez rien par courrier pour le moment.',
                ),
              ]
            : []),
          text(
            `Le site ${shop.publicUrl} (« ${shop.brand} ») est édité et exploité par une ${company.form} immatriculée ${company.place}. C’est elle qui organise les concours.`,
          ),
          facts(
            ['Société', shop.companyName],
            [company.numberName, shop.companyNumber],
            ['Registre', company.register],
            ['Siège social', shop.companyAddress],
            ['Numéro de TVA', shop.vatNumber],
            ['Autorité de contrôle', company.authority],
            ['E-mail', shop.contactEmail],
          ),
          text(
            `Pour toute question ou réclamation, écrivez-nous par le formulaire de contact ou par e-mail : nous répondons dans les ${PROMISES.replyHours} heures.`,
          ),
        ],
      },
      {
        id: 'purpose',
        title: 'Objet',
        blocks: [
          text(
            `${shop.brand} propose des concours dont le lot est, le plus souvent, une voiture. Chaque concours compte un nombre de billets fixé d’avance, un prix du billet, une date de clôture et un seul gagnant.`,
          ),
          text(
            'Ce règlement fixe les conditions d’utilisation du site et de participation aux concours. En ouvrant un compte, en achetant un billet ou en participant par courrier, vous l’acceptez. Pour vous, la version qui compte est celle publiée au moment de votre participation.',
          ),
        ],
      },
      {
        id: 'terms-of-use',
        title: 'Conditions d’utilisation',
        blocks: [
          list(
            'Le site et les concours sont réservés aux personnes majeures : vous devez avoir au moins 18 ans. Nous vérifions l’âge et l’identité du gagnant avant la remise du lot.',
            'L’inscription est gratuite. Chaque personne ouvre un seul compte, à son nom, avec des informations exactes et à jour.',
            'Votre mot de passe est personnel. Prévenez-nous sans attendre si vous pensez que quelqu’un d’autre l’utilise.',
            'Vous participez pour vous-même. Les comptes multiples, les robots, les fausses identités et toute tentative de fausser un tirage sont interdits.',
            'Les concours s’adressent aux personnes résidant dans un pays où une telle participation leur est permise. Vérifiez la règle de votre pays avant de participer.',
            'Les dirigeants et salariés de la société, ainsi que les personnes de leur foyer, ne participent pas, ni par achat, ni par courrier. Il en va de même des personnes qui ont demandé leur exclusion. Les billets achetés auparavant restent valables. Notre site refuse les comptes de toutes ces personnes, leurs participations par courrier et les paiements de leurs comptes PayPal ; si de l’argent a tout de même été débité, il est remboursé en entier et ne donne aucun billet.',
          ),
          text(
            'En cas de fraude ou de manquement grave, nous pouvons suspendre un compte après vous en avoir donné la raison ; vous pouvez nous répondre par e-mail. Les billets achetés loyalement restent dans le tirage ou vous sont remboursés.',
          ),
          text(
            'Vous pouvez fermer votre compte vous-même, dans « Mes données », ou en nous écrivant, dès qu’aucune commande, aucun remboursement et aucun concours n’est en cours pour vous, ou plus tôt si vous renoncez à vos billets. Ne dépensez que ce que vous pouvez vous permettre : un concours doit rester un plaisir.',
          ),
        ],
      },
      {
        id: 'contests',
        title: 'Conditions des concours',
        blocks: contestsFr(shop),
      },
      {
        id: 'intellectual-property',
        title: 'Propriété intellectuelle',
        blocks: [
          text(
            `Le nom ${shop.brand}, les textes, les images, la présentation et le logiciel du site appartiennent à la société ou sont utilisés avec l’accord de leurs titulaires. Vous pouvez les consulter, les partager par un lien et imprimer ce règlement pour vous ; tout autre usage demande notre accord écrit.`,
          ),
          text(
            'Les marques et noms de modèles de voitures appartiennent à leurs titulaires. Les citer sert à décrire le lot et ne signifie pas que ces constructeurs organisent ou parrainent le concours.',
          ),
        ],
      },
      { id: 'data-protection', title: 'Protection des données', blocks: dataFr.privacy(shop) },
      { id: 'cookies', title: 'Cookies et stockage local', blocks: dataFr.cookies(shop) },
      {
        id: 'liability',
        title: 'Responsabilité',
        blocks: [
          text(
            'Nous répondons du bon déroulement des concours, de la conservation de vos billets et de la remise du lot tel qu’il est décrit. Nous veillons à ce que le site soit disponible, sans pouvoir garantir qu’il le soit à chaque instant.',
          ),
          list(
            'Nous ne répondons pas des pannes qui nous échappent : votre connexion, votre appareil, la poste, le service de paiement ou les plateformes vidéo. Un paiement interrompu n’est jamais perdu : soit vos billets vous sont attribués, soit la somme vous est remboursée.',
            'Un cas de force majeure peut retarder un tirage. Nous l’annonçons alors sur la page du concours.',
            'Les sites vers lesquels nous renvoyons ont leurs propres règles.',
          ),
          text(
            'Rien dans ce règlement n’exclut ni ne limite notre responsabilité quand la loi l’interdit : décès ou dommage corporel dû à notre négligence, fraude, et droits impératifs des consommateurs.',
          ),
        ],
      },
      {
        id: 'applicable-law',
        title: 'Droit applicable',
        blocks: [
          sentences(
            `Ce règlement est soumis au ${company.law}. Si vous êtes consommateur, vous gardez la protection des règles impératives du pays où vous habitez et pouvez saisir ses tribunaux.`,
            company.courts === undefined
              ? undefined
              : `Pour les autres litiges, les ${company.courts} sont compétents.`,
          ),
          text(
            `Avant tout procès, écrivez-nous à ${shop.contactEmail} : nous cherchons une solution amiable. Si une clause s’avère nulle, les autres restent valables. Le règlement existe en français, en néerlandais et en anglais ; en cas de doute, la lecture la plus favorable au consommateur l’emporte.`,
          ),
        ],
      },
      {
        id: 'refunds',
        title: 'Remboursements',
        blocks: [
          text(
            'Un billet attribué participe au tirage et n’est en principe pas remboursé. Nous vous remboursons en revanche intégralement, TVA comprise et sans frais, dans les cas suivants :',
          ),
          list(
            `Concours annulé : tous les billets payés sont remboursés dans un délai maximal de ${PROMISES.refundDays} jours après l’annonce.`,
            'Paiement reçu sans que les billets puissent être attribués : la somme est remboursée sans que vous ayez à le demander.',
            'Paiement reçu deux fois pour la même commande : le second est remboursé.',
            'Commande faite sur votre compte par quelqu’un d’autre : écrivez-nous, nous examinons chaque cas.',
          ),
          text(
            'Le remboursement se fait sur le moyen de paiement utilisé pour l’achat. Les numéros remboursés ne participent plus au tirage et ne sont jamais réattribués.',
          ),
          text(
            `Les droits que la loi de votre pays vous reconnaît impérativement, y compris un éventuel droit de rétractation, restent entiers : écrivez à ${shop.contactEmail} avant le tirage, en indiquant le numéro de votre commande.`,
          ),
        ],
      },
    ],
  }
}
