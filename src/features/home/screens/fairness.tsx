import { CircleCheck, Lock, Mail, Percent, Radio, Shuffle } from 'lucide-react'
import type { ReactNode } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { Plate } from '#ui/plate.tsx'
import { Section } from './section.tsx'

const POINTS = [
  { name: 'odds', icon: Percent },
  { name: 'once', icon: CircleCheck },
  { name: 'limit', icon: Lock },
  { name: 'shuffled', icon: Shuffle },
  { name: 'live', icon: Radio },
  { name: 'free', icon: Mail },
] as const

const freeEntry = (text: ReactNode): ReactNode => (
  <AppLink to={paths.freeEntry()} className="prose-link">
    {text}
  </AppLink>
)

/** Why one may trust the shop: only what it does today. */
export function Fairness(): ReactNode {
  const t = useTranslations('home')
  return (
    <Section name="fair" title={t('fair.title')} lead={t('fair.lead')}>
      <div className="grid items-start gap-10 @4xl:grid-cols-[minmax(0,1fr)_auto]">
        <ul className="grid gap-x-10 gap-y-8 @xl:grid-cols-2">
          {POINTS.map(({ name, icon: Icon }) => (
            <li key={name} className="grid grid-cols-[auto_minmax(0,1fr)] content-start gap-x-4 gap-y-1">
              <Icon aria-hidden="true" className="mt-0.5 size-6 text-signal" />
              <h3 className="font-wide text-lg">{t(`fair.${name}.title`)}</h3>
              <p className="col-start-2 text-muted">{t.rich(`fair.${name}.text`, { rules: freeEntry })}</p>
            </li>
          ))}
        </ul>
        <div aria-hidden="true" className="hidden justify-items-center gap-3 @4xl:grid">
          <Plate size="large">031 907</Plate>
          <Plate size="large">114 250</Plate>
          <Plate size="large">207 613</Plate>
        </div>
      </div>
    </Section>
  )
}
