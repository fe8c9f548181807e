import { CircleCheck, Lock, Mail, Percent, Radio, Shuffle } from 'lucide-react'
import type { ReactNode } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import type { Winner } from '#features/draws/winners.contract.ts'
import type { LastCheck } from '#features/system/last-check.contract.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { Operator } from './operator.tsx'
import { Proofs } from './proofs.tsx'
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

interface FairnessProps {
  /** Of the last draw. */
  won: Winner | undefined
  check: LastCheck['last']
}

/** Proofs that a visitor can repeat, then what they stand for, and who answers for it. */
export function Fairness({ won, check }: FairnessProps): ReactNode {
  const t = useTranslations('homeBelow')
  return (
    <Section name="fair" title={t('fair.title')} lead={t('fair.lead')} ground="raised">
      <Proofs won={won} check={check} />
      <ul className="grid gap-x-10 gap-y-8 @xl:grid-cols-2">
        {POINTS.map(({ name, icon: Icon }) => (
          <li key={name} className="grid grid-cols-[auto_minmax(0,1fr)] content-start gap-x-4 gap-y-1">
            <Icon aria-hidden="true" className="mt-0.5 size-6 text-signal" />
            <h3 className="font-wide text-lg">{t(`fair.${name}.title`)}</h3>
            <p className="col-start-2 text-muted">{t.rich(`fair.${name}.text`, { rules: freeEntry })}</p>
          </li>
        ))}
      </ul>
      <Operator />
    </Section>
  )
}
