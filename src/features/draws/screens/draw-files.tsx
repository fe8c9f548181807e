import { Radio } from 'lucide-react'
import type { ReactNode } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { Alert } from '#ui/alert.tsx'
import { Card } from '#ui/card.tsx'
import type { PublicDraw } from '../public-draws.contract.ts'
import { evidenceOf, filesOf, rehearsalQuery } from '../public-draws.rules.ts'
import { DrawInstant, Fact, FileLink } from './draw-parts.tsx'
import { DrawTerms } from './draw-terms.tsx'
import { Hash } from './hash.tsx'
import { HowItCame } from './how-it-came.tsx'
import { OtherVerifiers } from './other-verifiers.tsx'

/** For auditors: every file, figure and rule of a draw. */
export const DrawFiles = ({ draw }: { draw: PublicDraw }): ReactNode => (
  <div className="grid grid-cols-1 gap-10">
    {draw.log && <Elsewhere draw={draw} />}
    <HowItCame draw={draw} />
    <Entries draw={draw} />
    <BeaconSection draw={draw} />
    <DrawTerms draw={draw} />
  </div>
)

/** The same check with other programs, and the page that a stream shows. */
function Elsewhere({ draw }: { draw: PublicDraw }): ReactNode {
  const t = useTranslations('draws.proof')
  return (
    <div className="grid grid-cols-1 gap-3">
      <p className="flex flex-wrap items-center gap-x-6">
        <FileLink href={evidenceOf(draw)}>{t('evidence')}</FileLink>
        <AppLink
          to={paths.liveDraw(draw.contest.slug) + rehearsalQuery(draw.rehearsal)}
          className="inline-flex min-h-11 items-center gap-2 underline"
        >
          <Radio aria-hidden="true" className="size-4 shrink-0" />
          {t('live')}
        </AppLink>
      </p>
      <OtherVerifiers />
    </div>
  )
}

/** The log and the lists, as figures, hashes and files. */
function Entries({ draw }: { draw: PublicDraw }): ReactNode {
  const t = useTranslations('draws')
  const { log, provisional, sealed, rehearsal } = draw
  if (!log && !provisional) return null
  const file = (name: string) => filesOf(draw) + name
  const lists = [
    { list: sealed, name: 'list.txt', label: 'facts.sealedList' },
    { list: provisional, name: 'provisional.txt', label: 'facts.provisionalList' },
  ] as const
  return (
    <section aria-labelledby="entries" className="grid grid-cols-1 gap-4">
      <h2 id="entries" className="text-title">
        {t('entries.title')}
      </h2>
      <p className="max-w-prose text-muted">{t('entries.text')}</p>
      {lists.map(
        ({ list, name, label }) =>
          list && (
            <Card key={name} className="grid grid-cols-1 gap-3 p-5">
              <h3 className="text-lg">{t(label)}</h3>
              <dl className="grid grid-cols-1 gap-3">
                <Fact term={t('entries.published')}>
                  <DrawInstant iso={list.at} />
                </Fact>
                <Fact term={t('facts.entries')}>
                  {t('counts', { paid: list.paid, postal: list.postal, demo: list.demo, valid: list.valid })}
                </Fact>
                <Fact term={t('entries.listHash')}>
                  <Hash value={list.hash} label={t('entries.listHash')} />
                </Fact>
                {list.root !== null && (
                  <Fact term={t('entries.listRoot')}>
                    <Hash value={list.root} label={t('entries.listRoot')} />
                  </Fact>
                )}
              </dl>
              <FileLink href={file(name)}>{t('entries.download', { name })}</FileLink>
            </Card>
          ),
      )}
      {log && (
        <Card className="grid grid-cols-1 gap-3 p-5">
          <h3 className="text-lg">{t('entries.log')}</h3>
          <dl className="grid grid-cols-1 gap-3">
            <Fact term={t('entries.size')}>
              {t('entries.sizeText', { size: log.size, entries: log.entries })}
            </Fact>
            <Fact term={t('entries.root')}>
              <Hash value={log.root} label={t('entries.root')} />
            </Fact>
            <Fact term={t('entries.checkpoint')}>
              <DrawInstant iso={log.checkpoint_at} />
            </Fact>
          </dl>
          <p className="flex flex-wrap gap-x-6">
            <FileLink href={file('log.txt')}>{t('entries.download', { name: 'log.txt' })}</FileLink>
            <FileLink href={file('checkpoints.txt')}>
              {t('entries.download', { name: 'checkpoints.txt' })}
            </FileLink>
            {!rehearsal && <FileLink href={file('checkpoint')}>{t('entries.checkpoint')}</FileLink>}
          </p>
        </Card>
      )}
    </section>
  )
}

/** Relays of the League of Entropy that do not belong to the shop. */
const RELAYS = ['https://api.drand.sh', 'https://drand.cloudflare.com'] as const

function BeaconSection({ draw }: { draw: PublicDraw }): ReactNode {
  const t = useTranslations('draws.beacon')
  const { beacon, attempts } = draw
  if (!beacon) return null
  const { chain, key, genesis, period } = beacon
  const rounds = attempts.length > 0 ? attempts : [{ attempt: 0, round: beacon.round }]
  const { round } = rounds.at(-1)!
  const command = (relay: string, asked: number): string => `curl ${relay}/${chain}/public/${asked}`
  return (
    <section aria-labelledby="beacon" className="grid grid-cols-1 gap-3">
      <h2 id="beacon" className="text-title">
        {t('title')}
      </h2>
      <p className="max-w-prose text-muted">{t('text', { round: String(round) })}</p>
      <dl className="grid grid-cols-1 gap-3">
        <Fact term={t('chain')}>
          <Hash value={chain} label={t('chain')} />
        </Fact>
        <Fact term={t('key')}>
          <Hash value={key} label={t('key')} />
        </Fact>
        <Fact term={t('clock')}>{t('clockText', { genesis: String(genesis), period })}</Fact>
      </dl>
      {beacon.public ? (
        <details className="rounded-md border border-line bg-surface">
          <summary className="flex min-h-12 items-center px-4 py-2 font-semibold">{t('elsewhere')}</summary>
          <div className="grid grid-cols-1 gap-3 border-t border-line p-4">
            {rounds.map((one) => (
              <div key={one.attempt} className="grid grid-cols-1 gap-2">
                <p className="max-w-prose">
                  {t('compare', { round: String(one.round), file: `beacon-${one.attempt}.json` })}
                </p>
                {RELAYS.map((relay) => (
                  <p key={relay} className="flex items-start gap-1">
                    <Hash value={command(relay, one.round)} label={t('command')} />
                  </p>
                ))}
              </div>
            ))}
          </div>
        </details>
      ) : (
        <Alert tone="warning">{t('notPublic')}</Alert>
      )}
    </section>
  )
}
