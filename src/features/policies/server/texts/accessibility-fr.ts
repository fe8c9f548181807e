import { PROMISES } from '#shared/promises.ts'
import { ACCESSIBILITY_UPDATED, type PolicyText, facts, list, text } from '../policy-facts.ts'

/** The accessibility statement in French, the source of the other two languages. */
export const accessibilityFr: PolicyText = (shop) => ({
  title: 'Déclaration d’accessibilité',
  lead: `${shop.brand} s’adresse à tout le monde : au clavier, avec un lecteur d’écran, en grands caractères ou sans animation. Voici ce que nous faisons pour cela, et ce qui manque encore.`,
  updated: ACCESSIBILITY_UPDATED,
  sections: [
    {
      id: 'standard',
      title: 'La norme que nous visons',
      blocks: [
        text(
          `Cette déclaration vaut pour le site ${shop.publicUrl}, exploité par ${shop.companyName}. Nous visons le niveau AA des règles WCAG 2.2 et la norme européenne EN 301 549, dans l’esprit de la directive (UE) 2019/882 (acte européen sur l’accessibilité).`,
        ),
        text(
          'Nous considérons le site comme partiellement conforme : les points de la section 4 manquent encore ou n’ont pas été vérifiés.',
        ),
      ],
    },
    {
      id: 'measures',
      title: 'Ce que le site permet',
      blocks: [
        list(
          'Tout ce que nous avons construit s’utilise au clavier, y compris la galerie, sa loupe et le choix de la quantité. L’élément actif est toujours visible.',
          'Les pages ont des titres et des repères, les images un texte de remplacement dans votre langue, les champs un libellé permanent.',
          'Les messages, les erreurs et les changements de prix sont annoncés aux lecteurs d’écran. Un message d’erreur dit quel champ est concerné et comment le corriger.',
          'Le texte reste lisible sur un écran de 320 pixels de large, sans défilement horizontal. Les couleurs suivent le thème clair ou sombre de votre appareil.',
          `Pendant le paiement, vos billets sont réservés ${shop.holdMinutes} minutes. La page vous prévient avant la fin ; vous pouvez prolonger une fois la réservation, et votre panier reste rempli dans tous les cas.`,
          'Les animations s’arrêtent si votre appareil le demande.',
          'L’accueil, les concours, le règlement et notre adresse se lisent sans JavaScript.',
        ),
      ],
    },
    {
      id: 'testing',
      title: 'Comment nous vérifions',
      blocks: [
        facts(
          [
            'Contrôle automatique',
            'Avant chaque mise à jour, l’outil axe-core examine les pages publiques et celles du compte, en trois langues, sur petit et sur grand écran, en clair et en sombre. Un seul défaut arrête la mise à jour.',
          ],
          [
            'Parcours dans un vrai navigateur',
            'Une inscription, un achat et l’envoi d’un message sont rejoués étape par étape, sur téléphone et sur ordinateur.',
          ],
          [
            'Relecture',
            'Nous relisons nous-mêmes chaque page. C’est une auto-évaluation : aucun organisme indépendant ne l’a confirmée.',
          ],
        ),
      ],
    },
    {
      id: 'shortcomings',
      title: 'Ce qui manque encore',
      blocks: [
        list(
          'Le site n’a pas encore été essayé par des personnes handicapées, ni de bout en bout avec NVDA, JAWS, VoiceOver ou TalkBack. Un contrôle automatique ne trouve qu’une partie des obstacles.',
          'La fenêtre de paiement appartient à PayPal. Nous ne pouvons ni la vérifier ni la corriger.',
          'Les tirages sont diffusés en direct sur des plateformes vidéo. Le direct peut être sans sous-titres ni audiodescription : demandez-nous le résultat par écrit.',
          'Il faut JavaScript pour se connecter, acheter et envoyer un message par le formulaire.',
          'Les PDF (billets et règlement) sont balisés et indiquent leur langue, mais n’ont pas été contrôlés selon la norme PDF/UA.',
        ),
      ],
    },
    {
      id: 'report',
      title: 'Signaler un obstacle',
      blocks: [
        text(
          `Un obstacle vous arrête ? Écrivez-nous par le formulaire de contact ou à ${shop.contactEmail} : indiquez la page, ce que vous vouliez faire et, si vous le souhaitez, l’outil que vous utilisez. Nous répondons dans les ${PROMISES.replyHours} heures et, si l’obstacle ne peut pas être levé aussitôt, nous cherchons avec vous une autre solution.`,
        ),
      ],
    },
    {
      id: 'enforcement',
      title: 'Si notre réponse ne suffit pas',
      blocks: [
        text(
          'Vous pouvez vous adresser à l’autorité chargée de l’accessibilité dans votre pays ou dans celui où l’exploitant est établi. Elle vous dira quelles démarches s’offrent à vous.',
        ),
      ],
    },
  ],
})
