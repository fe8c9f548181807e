import type { ListedOffer } from '../offers.contract.ts'

type Contest = Pick<ListedOffer, 'slug' | 'title' | 'title_nl' | 'title_en'>

/** What a card shows of a contest, for the first moment of its page. */
export interface FirstLook {
  contest: Contest
  /** Address of the picture as the card has it, which is there already. */
  picture: string | undefined
}

/** In ms: what was pressed longer ago has led elsewhere. */
const LONGEST = 5_000
/** In ms: a page that comes sooner needs no first look. */
const SOON = 100

let kept: { look: FirstLook; at: number } | undefined

/** To be called when a link of a card to the page of its contest is pressed. */
export function keepLook(contest: Contest, link: Element): void {
  const picture = link.closest('article, section')?.querySelector('img')?.currentSrc
  kept = { look: { contest, picture }, at: performance.now() }
}

/** What the card showed, once, when its link led here. */
function takeLook(slug: string | undefined): FirstLook | undefined {
  const last = kept
  kept = undefined
  return last && last.look.contest.slug === slug && performance.now() - last.at < LONGEST
    ? last.look
    : undefined
}

/** A page that is shown before it has come. */
export interface Coming<Loaded> {
  look: FirstLook
  later: Promise<Loaded>
}

/** What is loaded or, where a card led here and it takes longer than a moment, what the card showed. */
export async function comingOr<Loaded>(
  slug: string | undefined,
  loaded: Promise<Loaded>,
): Promise<Loaded | Coming<Loaded>> {
  const look = takeLook(slug)
  if (!look) return await loaded
  const later = loaded
  // The page handles the failure, if it is still wanted then.
  later.catch(() => undefined)
  const pause = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), SOON))
  const isHere = await Promise.race([
    later.then(
      () => true,
      () => true,
    ),
    pause,
  ])
  return isHere ? await later : { look, later }
}

export const isComing = <Loaded>(page: Loaded | Coming<Loaded>): page is Coming<Loaded> =>
  typeof page === 'object' && page !== null && 'later' in page
