import * as z from 'zod'

const filled = z.string().min(1)

/** Who operates the shop, for the legal notices. The defaults are invented; live mode refuses them. */
export const COMPANY_SETTINGS = {
  companyName: {
    name: 'COMPANY_NAME',
    schema: filled,
    expected: 'a name',
    fallback: 'Volant Demonstration Ltd',
    purpose: 'Company that operates the shop, for the legal notices; live mode needs your own.',
  },
  companyNumber: {
    name: 'COMPANY_NUMBER',
    schema: filled,
    expected: 'a registration number',
    fallback: '00000000',
    purpose: 'Registration number of the company; live mode needs your own.',
  },
  companyAddress: {
    name: 'COMPANY_ADDRESS',
    schema: filled,
    expected: 'an address on one line',
    fallback: '1 Invented Street, Exampleton ZZ99 9ZZ, United Kingdom',
    purpose: 'Registered office of the company; live mode needs your own.',
  },
  vatNumber: {
    name: 'VAT_NUMBER',
    schema: filled.optional(),
    expected: 'a VAT number',
    fallback: undefined,
    purpose: 'VAT number of the company; left out, the legal notices name none.',
  },
  postalAddress: {
    name: 'POSTAL_ADDRESS',
    schema: filled,
    expected: 'an address on one line',
    fallback: 'Volant Free Entries, PO Box 0, Exampleton ZZ99 9ZZ, United Kingdom',
    purpose: 'Where free entries are sent by post; live mode needs your own.',
  },
} as const
