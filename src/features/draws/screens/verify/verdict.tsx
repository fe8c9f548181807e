import type { ReactNode } from 'react'
import { useTranslations } from '#i18n/translations.tsx'
import { Alert } from '#ui/alert.tsx'
import { Plate } from '#ui/plate.tsx'
import type { PackOutcome } from '#draw-protocol/check.ts'
import { STEPS } from '#draw-protocol/steps.ts'
import type { Terms } from '#draw-protocol/terms.ts'
import type { Voucher } from '#draw-protocol/verify.ts'
import { shownNumber, timeText } from './shown-number.ts'
import { FaultText } from './step-rows.tsx'

type Translate = ReturnType<typeof useTranslations<'verify'>>

/** Why nobody wins anything, whatever the verdict: what a rehearsal or a demonstration is called first of all. */
const unreal = ({ remarks }: Pick<PackOutcome, 'remarks'>): 'rehearsal' | 'demonstration' | undefined =>
  (['rehearsal', 'demonstration'] as const).find((code) => remarks.some((remark) => remark.code === code))

/** Whether nobody but the shop says that it cancelled before the winner could be known. */
const isKnowable = ({ remarks }: Pick<PackOutcome, 'remarks'>): boolean =>
  remarks.some(({ code }) => code === 'cancelled-unconfirmed')

/** The verdict in one sentence; before it another one when nothing could be won. */
export function verdictText(t: Translate, outcome: PackOutcome): string {
  const failed = outcome.steps.find(({ outcome }) => outcome === 'failed')
  const verdict = failed
    ? t('verdict.failed', { at: STEPS.indexOf(failed.step) + 1, name: t(`steps.${failed.step}.name`) })
    : outcome.verdict === 'cancelled'
      ? t(`verdict.cancelled.${isKnowable(outcome) ? 'knowable' : outcome.cancelled!}`)
      : outcome.verdict === 'passed'
        ? vouchedText(t, 'passed', outcome.voucher)
        : t('verdict.incomplete')
  const isVouched = !failed && outcome.verdict !== 'passed' && !isKnowable(outcome)
  const said =
    isVouched && outcome.voucher ? `${verdict} ${vouchedText(t, 'vouched', outcome.voucher)}` : verdict
  const code = unreal(outcome)
  return code ? `${t(`remarks.${code}`)} ${said}` : said
}

/** Who says when things were, in one sentence; `passed`: with the verdict. */
const vouchedText = (t: Translate, kind: 'passed' | 'vouched', voucher: Voucher | null): string =>
  voucher?.by === 'witnesses'
    ? t(`verdict.${kind}.witnesses`, { count: voucher.count, of: voucher.of })
    : t(`verdict.${kind}.shop`)

const PROGRAM = 'verify-draw.py'
const TONES = { passed: 'success', cancelled: 'info', incomplete: 'warning', failed: 'error' } as const

interface VerdictProps {
  outcome: PackOutcome
  /** Of the archive, for the command; null when it is not known. */
  fileName: string | null
  /** The address of the Python program, where there is a shop to load it from. */
  program: string | undefined
}

/** What nobody wins anything from is no draw, and what only the shop says is no proof, however well it passes. */
export const verdictTone = (outcome: PackOutcome): (typeof TONES)[keyof typeof TONES] =>
  outcome.verdict === 'passed' && (unreal(outcome) || outcome.voucher?.by !== 'witnesses')
    ? 'warning'
    : TONES[outcome.verdict]

/** The verdict, who won, what people should know, and how to check without this page. */
export function VerdictBlock(props: VerdictProps): ReactNode {
  const { outcome } = props
  const t = useTranslations('verify')
  const { verdict, winners, remarks, voucher, terms, termsHash, listHash, logSize } = outcome
  const confirmed = voucher?.by === 'witnesses' ? voucher : null
  const tone = verdictTone(outcome)
  const failed = outcome.steps.find(({ outcome }) => outcome === 'failed')
  const winner = winners.findLast(({ isForfeited }) => !isForfeited)
  const shown = (number: number): string => shownNumber(number, terms?.tickets)
  const facts = [
    ['facts.contest', terms?.contest],
    ['facts.opened', confirmed?.opened && timeText(confirmed.opened)],
    ['facts.sealed', confirmed?.sealed && timeText(confirmed.sealed)],
    ['facts.lines', logSize],
    ['kept.termsHash', termsHash],
    ['kept.listHash', listHash],
  ] as const
  return (
    <section aria-labelledby="verify-verdict" className="grid grid-cols-1 gap-5" data-verdict={verdict}>
      <h2 id="verify-verdict" className="text-title">
        {t('verdict.title')}
      </h2>
      <Alert tone={tone} title={verdictText(t, outcome)}>
        {failed?.outcome === 'failed' && <FaultText fault={failed} />}
        {!failed && voucher && (
          <p className="mb-3">{t(`voucher.${voucher.by === 'witnesses' ? 'witnesses' : voucher.why}`)}</p>
        )}
        {winner ? (
          <span className="flex flex-wrap items-center gap-3">
            <Plate size="large">{shown(winner.number)}</Plate>
            {t('verdict.winner', { number: shown(winner.number) })}
          </span>
        ) : (
          (verdict === 'passed' || verdict === 'incomplete') && t('verdict.noWinner')
        )}
        {winners
          .filter(({ isForfeited }) => isForfeited)
          .map(({ attempt, number }) => (
            <p key={attempt} className="mt-1.5">
              {t('verdict.forfeited', { number: shown(number) })}
            </p>
          ))}
      </Alert>
      <Remarks remarks={remarks} terms={terms} />
      {terms && (
        <div className="grid grid-cols-1 gap-3 rounded-lg border border-line bg-surface p-5 text-sm">
          <dl className="grid grid-cols-1 gap-3">
            {facts.map(
              ([name, value]) =>
                value && (
                  <div key={name}>
                    <dt className="text-muted">{t(name)}</dt>
                    <dd className="font-mono wrap-anywhere">{value}</dd>
                  </div>
                ),
            )}
          </dl>
          <p className="max-w-[68ch] text-muted">{t('facts.own')}</p>
        </div>
      )}
      <WithoutUs {...props} />
    </section>
  )
}

/** What people should know, but for what the verdict says first. */
export function Remarks({ remarks, terms }: Pick<PackOutcome, 'remarks'> & Partial<PackOutcome>): ReactNode {
  const t = useTranslations('verify')
  const said = unreal({ remarks })
  const others = remarks.filter(({ code }) => code !== said)
  if (others.length === 0) return null
  return (
    <Alert tone="warning" title={t('remarksTitle')}>
      <ul className="grid list-disc grid-cols-1 gap-1.5 pl-5 wrap-anywhere">
        {others.map(({ code, values }, at) => (
          <li key={at}>
            {t(`remarks.${code}`, values as Record<string, string | number>)}{' '}
            {code === 'silence-claimed' && terms && <AskBeacon terms={terms} round={Number(values.round)} />}
          </li>
        ))}
      </ul>
    </Alert>
  )
}

/** Where the public beacon gives a round; a chain of a demonstration's own is not there. */
function AskBeacon({ terms, round }: { terms: Terms; round: number }): ReactNode {
  if (terms.demonstration) return null
  const address = `https://api.drand.sh/${terms.beacon.chain}/public/${round}`
  return (
    <a href={address} target="_blank" rel="noopener noreferrer" className="prose-link">
      {address}
    </a>
  )
}

function WithoutUs({ outcome, fileName, program }: VerdictProps): ReactNode {
  const t = useTranslations('verify')
  const { terms, winners } = outcome
  return (
    <section
      aria-labelledby="verify-without"
      className="grid grid-cols-1 gap-3 rounded-lg border border-line bg-surface p-5 text-sm"
    >
      <h3 id="verify-without" className="text-lg">
        {t('without.title')}
      </h3>
      <p className="max-w-[68ch]">{t('without.text')}</p>
      {program !== undefined && (
        <a href={program} download={PROGRAM} className="prose-link w-fit py-1">
          {t('without.get', { name: PROGRAM })}
        </a>
      )}
      <p className="text-muted">{t('without.command')}</p>
      <pre className="rounded-sm bg-sunken p-3 font-mono whitespace-pre-wrap wrap-anywhere" translate="no">
        {`python3 ${PROGRAM} ${fileName ?? `${terms?.contest ?? 'SLUG'}-evidence.zip`}`}
      </pre>
      {terms &&
        !terms.demonstration &&
        winners.map(({ attempt, round }) => (
          <p key={attempt} className="wrap-anywhere">
            {t('without.beacon', { file: `beacon-${attempt}.json` })}{' '}
            <AskBeacon terms={terms} round={round} />
          </p>
        ))}
    </section>
  )
}
