import { type ComponentType, type ReactNode, useEffect, useState } from 'react'
import { whenIdle } from '#client/browser-parts.ts'
import type { Translated } from '#shared/localized-text.ts'
import type { Offer } from '../offers.contract.ts'

export type PartOffer = Pick<Offer, 'id' | 'slug' | 'is_active' | 'end_date' | 'draw_at' | 'stopped_as'> &
  Translated<'title'>

/** What stands beside a contest and comes late: the mark of a favourite, and sharing with reminders. */
export interface ContestParts {
  Heart: ComponentType<{ offer: PartOffer }>
  Actions: ComponentType<{ offer: PartOffer }>
}

let load: (() => Promise<ContestParts>) | undefined

/** The application gives the parts of its pages; a preview and the server have none. */
export const contestPartsFrom = (loading: () => Promise<ContestParts>): void => void (load = loading)

/** Shown once the page is idle. Without its code the contest is whole, too. */
export function ContestPart({ name, offer }: { name: keyof ContestParts; offer: PartOffer }): ReactNode {
  const [parts, setParts] = useState<ContestParts>()
  useEffect(() => whenIdle(() => void load?.().then(setParts, () => undefined)), [])
  const Part = parts?.[name]
  return Part && <Part offer={offer} />
}
