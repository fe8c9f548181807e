import type { ReactNode } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { useSettings } from '#client/shell.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { Badge } from '#ui/badge.tsx'
import { buttonClasses } from '#ui/button.tsx'
import { Picture } from '#ui/picture.tsx'
import { Plate } from '#ui/plate.tsx'
import { Tabs } from '#ui/tabs.tsx'
import { HOW } from './places.ts'
import { Section } from './section.tsx'

const STEPS = ['register', 'choose', 'draw'] as const
type Step = (typeof STEPS)[number]

const PICTURES: Record<Step, string> = {
  register: 'roadster-front',
  choose: 'supercar-night',
  draw: 'fastback-detail',
}

interface StepProps {
  step: Step
  draw: string | undefined
}

/** Spec section 2, "three-tab section". @param draw slug of the contest that is drawn next, or was drawn last */
export function StepTabs({ draw }: { draw: string | undefined }): ReactNode {
  const t = useTranslations('homeBelow')
  return (
    <Section name={HOW} title={t('tabs.title')} lead={t('tabs.lead')} late>
      <Tabs
        id="step"
        label={t('tabs.title')}
        items={STEPS.map((step, index) => ({
          name: step,
          label: (
            <>
              <span className="font-plate text-lg leading-none text-muted">{index + 1}</span>
              {t(`tabs.${step}.label`)}
            </>
          ),
          panel: <StepPanel step={step} draw={draw} />,
        }))}
      />
    </Section>
  )
}

function StepPanel({ step, draw }: StepProps): ReactNode {
  const t = useTranslations('homeBelow')
  return (
    <div className="grid items-center gap-6 pt-6 @2xl:grid-cols-2 @2xl:gap-10">
      <div className="order-2 grid justify-items-start gap-4 @2xl:order-1">
        <Badge tone="signal">{t(`tabs.${step}.badge`)}</Badge>
        <p className="font-wide text-title">{t(`tabs.${step}.headline`)}</p>
        <p className="text-muted">{t(`tabs.${step}.text`)}</p>
        <StepLinks step={step} draw={draw} />
      </div>
      <div className="relative order-1 @2xl:order-2">
        <Picture
          stem={`/media/${PICTURES[step]}`}
          {...(step === 'register' && { dark: `/media/${PICTURES[step]}-dark` })}
          widths={[480, 696, 828]}
          sizes="(min-width: 768px) 40vw, 92vw"
          width={828}
          height={518}
          className="w-full rounded-lg bg-sunken"
        />
        {step === 'choose' && (
          <span aria-hidden="true" className="absolute bottom-4 left-4">
            <Plate size="medium">004 211</Plate>
          </span>
        )}
      </div>
    </div>
  )
}

function StepLinks({ step, draw }: StepProps): ReactNode {
  const t = useTranslations('homeBelow')
  const { videoUrl } = useSettings()
  const text = t(`tabs.${step}.button`)
  if (step === 'choose')
    return (
      <AppLink to={paths.offers()} className={buttonClasses()}>
        {text}
      </AppLink>
    )
  if (step === 'draw') {
    return (
      <>
        <AppLink to={videoUrl} className={buttonClasses()}>
          {text}
          <span className="sr-only"> ({t('newTab')})</span>
        </AppLink>
        {draw !== undefined && (
          <AppLink to={paths.draw(draw)} className={buttonClasses('secondary')}>
            {t('tabs.draw.page')}
          </AppLink>
        )}
      </>
    )
  }
  // Both are rendered and CSS shows one, so that nothing moves during hydration.
  return (
    <>
      <AppLink
        to={paths.register()}
        className={buttonClasses('primary', 'medium', { className: 'visitors-only' })}
      >
        {text}
      </AppLink>
      <AppLink
        to={paths.offers()}
        className={buttonClasses('primary', 'medium', { className: 'members-only' })}
      >
        {text}
      </AppLink>
    </>
  )
}
