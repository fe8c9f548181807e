import type { ReactNode } from 'react'
import { Kept } from '#client/kept-markup.tsx'
import type { ListedOffer } from '#features/offers/offers.contract.ts'
import { Collection } from './collection.tsx'
import { Fairness } from './fairness.tsx'
import { Hero } from './hero.tsx'
import { OpenContests } from './open-contests.tsx'
import { Partners } from './partners.tsx'
import { StepTabs } from './step-tabs.tsx'

/** The home page (spec section 2). @param offers the list as the API gives it; the first open ones are shown */
export function HomePage({ offers }: { offers: readonly ListedOffer[] }): ReactNode {
  return (
    <>
      <Kept name="home's beginning">{() => <Hero />}</Kept>
      <OpenContests offers={offers} />
      <Kept name="home's rest">
        {() => (
          <>
            <StepTabs />
            <Fairness />
            <Collection />
            <Partners />
          </>
        )}
      </Kept>
    </>
  )
}
