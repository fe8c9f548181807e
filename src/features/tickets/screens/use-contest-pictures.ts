import { useEffect, useState } from 'react'
import { browserApi } from '#client/browser.ts'
import { type ShownPicture, shownPictures } from '#features/offers/screens/pictures.ts'

export type ContestPictures = ReadonlyMap<number, ShownPicture>

/**
 * The first picture of each contest, by its id: tickets name their contest, the list of contests has the pictures.
 * @param wanted whether there is anything to show them with
 * @returns undefined until they are there; none where the list could not be read, for the page says enough without
 */
export function useContestPictures(wanted: boolean): ContestPictures | undefined {
  const [pictures, setPictures] = useState<ContestPictures>()

  useEffect(() => {
    if (!wanted) return undefined
    const leaving = new AbortController()
    async function read(): Promise<void> {
      const offers = await browserApi()
        .offers(leaving.signal)
        .catch(() => [])
      if (leaving.signal.aborted) return
      const firsts = offers.flatMap((offer) =>
        shownPictures(offer)
          .slice(0, 1)
          .map((one) => [offer.id, one] as const),
      )
      setPictures(new Map(firsts))
    }
    void read()
    return () => leaving.abort()
  }, [wanted])

  return pictures
}
