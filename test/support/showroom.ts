import type { TestShop } from './shop.ts'

const DAY = 86_400_000

/** Far enough from now that nothing ends while the tests run; and how the shop's zone reads it. */
const END = new Date('2031-07-14T16:30:00Z')
export const END_SHOWN = '14/07/2031 18:30'

export const PICTURES = ['roadster-front', 'roadster-rear', 'roadster-detail']
export const VIDEO_URL = 'https://video.example/live'
export const SOCIAL_URL = 'https://social.example/volant'

const QUESTION = { question: 'Deux et deux ?', choices: ['3', '4', '22'], correct_choice: '4' }

/**
 * Fills a shop with one offer of each kind. "ouverte" asks a question, has three pictures and 5 of its 20 tickets left;
 * "complete" is sold out, "finie" has ended, though sold out, too; "simple" has neither question nor picture.
 */
export async function fillShowroom(shop: TestShop): Promise<void> {
  const open = await shop.newOffer({
    slug: 'ouverte',
    title: 'Ouverte',
    end_date: END,
    total_tickets: 20,
    prize_value_cents: 4_390_000,
    pictures: PICTURES,
    ...QUESTION,
  })
  const description = { description: 'Bonne voiture.', description_en: 'Good car.' }
  await shop.changeOffer(open, { title_en: 'Open car', title_nl: '', ...description, tickets_sold: 15 })
  const full = await shop.newOffer({ slug: 'complete', title: 'Complète', total_tickets: 3, end_date: END })
  await shop.changeOffer(full, { title_en: 'Full car', tickets_sold: 3 })
  const ended = await shop.newOffer({ slug: 'finie', title: 'Finie', end_date: new Date(Date.now() - DAY) })
  await shop.changeOffer(ended, { title_en: 'Ended car', tickets_sold: 1_000 })
  const simple = await shop.newOffer({
    slug: 'simple',
    title: 'Simple',
    price_cents: 150,
    end_date: new Date(END.getTime() + DAY),
  })
  await shop.changeOffer(simple, { title_en: 'Simple car' })
}
