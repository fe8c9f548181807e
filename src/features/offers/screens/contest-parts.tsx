import { type ComponentType, type ReactNode, createContext, use } from 'react'
import type { Translated } from '#shared/localized-text.ts'
import type { Offer } from '../offers.contract.ts'

export type PartOffer = Pick<Offer, 'id' | 'slug' | 'is_active' | 'end_date' | 'draw_at' | 'stopped_as'> &
  Translated<'title'>

/** What stands beside a contest and comes late: the mark of a favourite, and sharing with reminders. */
export interface ContestParts {
  Heart: ComponentType<{ offer: PartOffer }>
  Actions: ComponentType<{ offer: PartOffer }>
}

/** The application gives them once the page is idle. A preview and the server have none. */
export const ContestPartsContext = createContext<ContestParts | undefined>(undefined)

export function ContestPart({ name, offer }: { name: keyof ContestParts; offer: PartOffer }): ReactNode {
  const Part = use(ContestPartsContext)?.[name]
  return Part && <Part offer={offer} />
}
