// The tags of the WAIS protocol, from protspec.txt 1.5 (Thinking Machines, 1990). Tags from 125 on are from zprot.h
// of freeWAIS.

export const REFERENCE_ID = 2;
export const PROTOCOL_VERSION = 3;
export const OPTIONS = 4;
export const PREFERRED_MESSAGE_SIZE = 5;
export const MAXIMUM_RECORD_SIZE = 6;
export const ID_AUTHENTICATION = 7;
export const IMPLEMENTATION_ID = 8;
export const IMPLEMENTATION_NAME = 9;
export const IMPLEMENTATION_VERSION = 10;
export const RESULT_SET_NAME = 17;
export const DATABASE_NAMES = 18;
export const ELEMENT_SET_NAMES = 19;
export const QUERY_TYPE = 20;
export const QUERY = 21;
export const PRESENT_STATUS = 27;
export const DIAGNOSTIC_RECORDS = 28;
export const ATTRIBUTE_LIST = 44;
export const TERM = 45;
export const OPERATOR = 46;
export const USER_INFORMATION_LENGTH = 99;
export const SEED_WORDS = 106;
export const DATE_FACTOR = 111;
export const MAX_DOCUMENTS_RETRIEVED = 114;
export const DOCUMENT_ID = 116;
export const SCORE = 118;
export const DOCUMENT_LENGTH = 120;
export const SOURCE = 121;
export const DATE = 122;
export const HEADLINE = 123;
export const DOCUMENT_TEXT = 127;
export const LINES = 131;
export const TYPE_BLOCK = 132;
export const TYPE = 133;
export const DOCUMENT_HEADER_GROUP = 150;
export const SHORT_HEADER_GROUP = 151;
export const LONG_HEADER_GROUP = 152;
export const TEXT_GROUP = 153;
export const HEADLINE_GROUP = 154;
export const CODES_GROUP = 155;

/** The highest tag of this list. */
export const MAX_KNOWN_TAG: number = CODES_GROUP;
