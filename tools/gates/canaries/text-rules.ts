import type { textRules } from '../house-rules/text-rules.ts'
import type { HouseCanary } from './house-canary.ts'

const page = (jsx: string): string => `export const Page = () => ${jsx}\n`

/** Texts in the code that belong in the catalogues, beside what may stand there. */
export const TEXT_CANARIES: Record<keyof typeof textRules, HouseCanary> = {
  texts: {
    files: {
      'src/features/cart/server/mail.tsx': page('<p>Not seen by this rule</p>'),
      'src/ui/right.tsx': page('<b title={t("x")} className="red">{price} €<i translate="no">Volant</i></b>'),
      'src/ui/a.tsx': page('<p>Your cart</p>'),
      'src/ui/b.tsx': page('<><img alt="A car" /><p>{full ? "Full" : `${n} left`}</p>Loose</>'),
      'src/features/cart/screens/c.tsx': "toast.warning('Gone')\n",
      'src/ui/d.tsx': page(
        '<>{full && "Sold out"}<input placeholder="Your name" aria-label={`Pay ${n}`} /></>',
      ),
      'src/app/e.ts':
        "export const right = { label: 'frame.menu.home', title: t('x'), description: text }\nexport const wrong = { label: 'Home', 'aria-label': 'Go home' }\ntoast.info(t('x'), { description: 'Try again' })\ndocument.title = 'Volant'\n",
    },
    findings: [
      'src/app/e.ts:2  text outside the catalogues: Home',
      'src/app/e.ts:2  text outside the catalogues: Go home',
      'src/app/e.ts:3  text outside the catalogues: Try again',
      'src/app/e.ts:4  text outside the catalogues: Volant',
      'src/features/cart/screens/c.tsx:1  text outside the catalogues: Gone',
      'src/ui/a.tsx:1  text outside the catalogues: Your cart',
      'src/ui/b.tsx:1  text outside the catalogues: Loose',
      'src/ui/b.tsx:1  text outside the catalogues: A car',
      'src/ui/b.tsx:1  text outside the catalogues: Full',
      'src/ui/b.tsx:1  text outside the catalogues: left',
      'src/ui/d.tsx:1  text outside the catalogues: Sold out',
      'src/ui/d.tsx:1  text outside the catalogues: Your name',
      'src/ui/d.tsx:1  text outside the catalogues: Pay',
    ],
  },
  answers: {
    files: {
      'src/features/cart/server/cart.service.ts':
        "throw new Error('No such cart')\nrequest.log.warn({ cart }, 'Cart away')\nreply.send({ detail: 'Your cart is empty' })\nexport const state = 'in progress'\n",
      'src/features/cart/server/cart-pdf.ts':
        "doc.text('Billet, sans valeur')\ndoc.text(translate(language, 'pdf.x'))\n",
      'src/features/cart/server/cart-mail.ts': 'export const html = `<h1>${name}</h1><p>Thank you</p>`\n',
      'src/features/cart/server/texts/fr.ts': "export const fr = text('Le règlement est long.')\n",
      'src/features/cart/server/cart.repository.ts': 'export const a = sql`SELECT one FROM carts`\n',
      'src/platform/http/errors.ts':
        'reply.send({ message: `Hello ${name}` })\nreply.send({ message: `Not found.` })\n',
      'src/server/settings.ts': "export const about = 'Said to operators.'\n",
    },
    findings: [
      'src/features/cart/server/cart-mail.ts:1  text outside the catalogues: </h1><p>Thank you</p>',
      'src/features/cart/server/cart-pdf.ts:1  text outside the catalogues: Billet, sans valeur',
      'src/features/cart/server/cart.service.ts:3  text outside the catalogues: Your cart is empty',
      'src/platform/http/errors.ts:1  text outside the catalogues: Hello',
      'src/platform/http/errors.ts:2  text outside the catalogues: Not found.',
    ],
  },
  marks: {
    files: {
      'src/ui/a.tsx': page('<p>{t("total")}: {price}</p>'),
      'src/ui/b.tsx': page(
        '<p aria-label={`${t("photo")} : ${title}`} className={`${size}:red`}>{t("x", { y })} ({z})</p>',
      ),
    },
    findings: [
      'src/ui/a.tsx:1  a mark that belongs to the message before it',
      'src/ui/b.tsx:1  a mark that belongs to the message before it',
    ],
  },
}
