import { type ReactNode, useMemo } from 'react'
import type { ListedOffer } from '#features/offers/offers.contract.ts'
import { useLiveOffers } from '#features/offers/screens/live-offers.ts'
import { featuredOf, firstOpen } from '../featured.rules.ts'
import { Featured } from './featured.tsx'
import { Hero } from './hero.tsx'
import type { BelowProps } from './below.tsx'
import { LateBelow } from './late-below.tsx'

interface HomePageProps extends Omit<BelowProps, 'offers'> {
  offers: readonly ListedOffer[]
}

/** The home page (spec section 2). */
export function HomePage({ offers, ...below }: HomePageProps): ReactNode {
  const open = useLiveOffers(useMemo(() => firstOpen(offers), [offers]))
  const first = featuredOf(open)
  return (
    <>
      <Hero />
      {first && <Featured offer={first} />}
      <LateBelow {...below} offers={open.filter((offer) => offer !== first)} />
    </>
  )
}
