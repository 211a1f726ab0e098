"""The English of questions about data: small phrases that tell the role of what stands around them."""

# ruff: noqa: E501, RUF001 - lists of phrases, with the signs that people write

from enum import StrEnum
from itertools import product
from typing import Any, Final

from resolvers.engines.nl2sql.plan import Aggregate, Operator


class Cue(StrEnum):
    """What a phrase does in a question."""

    ASK = "ask"
    """Show, list, what is."""
    WHO = "who"
    WHEN = "when"
    WHERE = "where"
    WHICH = "which"
    WHAT = "what"
    COUNT = "count"
    MUCH = "much"
    AGGREGATE = "aggregate"
    DISTINCT = "distinct"
    ALL = "all"
    EVERYTHING = "everything"
    SUPERLATIVE = "superlative"
    MOST = "most"
    """The most, the fewest: of a number, or of things."""
    COMMON = "common"
    """Most common, least frequent."""
    TOP = "top"
    NTH = "nth"
    """Second, third: before a superlative."""
    ADJECTIVE = "adjective"
    COMPARE = "compare"
    BETWEEN = "between"
    MATCH = "match"
    """Starts with, contains, ends in."""
    AVERAGE_THAN = "average_than"
    EACH = "each"
    PER = "per"
    BY = "by"
    ORDER = "order"
    DIRECTION = "direction"
    RANGE = "range"
    """From the oldest to the youngest."""
    NOT = "not"
    NO = "no"
    NEITHER = "neither"
    NULL = "null"
    BOTH = "both"
    EITHER = "either"
    AND = "and"
    OR = "or"
    BUT = "but"
    COMMA = "comma"
    OF = "of"
    POSSESSIVE = "possessive"
    PREPOSITION = "preposition"
    FROM = "from"
    TO = "to"
    WITH = "with"
    RELATIVE = "relative"
    WHOSE = "whose"
    HAVE = "have"
    BE = "be"
    SAME = "same"
    NONE_TOO = "none too"
    """Groups without rows are asked for as well."""
    MORE = "more"
    """More of something than ..."""
    THAN = "than"
    AS = "as"
    SHARE = "share"
    DIFFERENCE = "difference"
    ONLY = "only"
    END = "end"
    """Of a sentence."""
    STOP = "stop"
    """Says nothing that matters."""
    LIGHT = "light"
    """A verb or noun that a plain reading can do without."""


Phrases = dict[tuple[str, ...], tuple[Cue, Any]]
_AGGREGATES: Final = {
    Aggregate.AVG: "average|mean|avg|average value of|mean value of",
    Aggregate.MEDIAN: "median|median value of",
    Aggregate.SUM: "total|sum|sum of|total amount of|total sum of|combined|overall|total value of|in total|career|lifetime|all-time|"
    "cumulative",
    Aggregate.MIN: "minimum|min|minimal|lowest value of",
    Aggregate.MAX: "maximum|max|maximal|highest value of",
}
_OPERATORS: Final = {
    Operator.MORE: "more than|greater than|above|over|exceeding|exceeds|exceed|"
    "is more than|are more than|beyond|no less or equal|strictly more than|"
    ">|surpasses|surpass",
    Operator.AT_LEAST: "at least|no less than|not less than|no fewer than|not fewer than|greater than or equal to|"
    "more than or equal to|equal to or more than|equal to or greater than|>=|or more|or better|or above|or higher|or greater|"
    "or older|or over|a minimum of|minimum of|not below|larger than or equal to|higher than or equal to|or later|or longer|or larger|or bigger|or heavier|or taller",
    Operator.LESS: "less than|fewer than|below|under|beneath|<",
    Operator.AT_MOST: "at most|no more than|not more than|less than or equal to|fewer than or equal to|<=|or less|"
    "or fewer|or below|or lower|or younger|or earlier|up to|a maximum of|maximum of|equal to or less than|"
    "not exceeding|or shorter|or smaller|or lighter|or cheaper|smaller than or equal to|lower than or equal to|not above|not over|within",
    Operator.EQUAL: "equal to|equals|equal|exactly|=|is exactly|precisely|the same as",
}
_PLAIN: Final[dict[Cue, str]] = {
    Cue.ASK: "show|list|find|give|return|tell|display|present|get|report|print|retrieve|provide|select|what is|what are|"
    "what was|what were|what's|whats|show me|give me|tell me|list out|i want to know|i want|i would like to know|"
    "i'd like to know|can you|could you|please|find out|can you tell me|could you tell me|let me know|calculate|compute|"
    "determine|identify|search for|look up|fetch|output|enumerate|name|state|describe|help me find|do you know|look for",
    Cue.WHO: "who|whom|who is|who are|who was|who were|who's",
    Cue.WHEN: "when|when is|when was|when did|when does|when were|on what date|on which date|on what day|on which day",
    Cue.WHERE: "where is|where are|where was|where did|where does|where do|where were",
    Cue.WHICH: "which|in which|for which|on which|at which|to which|from which|of which|by which",
    Cue.WHAT: "what|what do|what does|what did|in what|for what|at what|to what|from what|what kind of|what kinds of",
    Cue.COUNT: "how many|number of|the number of|counts of|the counts of|count|count of|total number of|how often|how many times|count the number of|"
    "total count of|amount of different|quantity of different|count up|what number of|how many of",
    Cue.MUCH: "how much",
    Cue.DISTINCT: "once|only once|each once|no repeats|no repetition|no repetitions|no doubles|without doubles|without any duplicates|without any repeats|without repeating any|without repeating|no duplicates|with no duplicates|each only once|distinct|different|unique|various|distinctive|unduplicated|non-repeating|without repeats|"
    "without duplicates|without duplicate|without repetition|non-duplicate|differing",
    Cue.ALL: "all|every one of|all of|all the|any|some|entire|complete|whole",
    Cue.EVERYTHING: "all information|all the information|all details|all the details|information|all info|details|"
    "all data|everything|full details|all columns|all attributes|all fields|all the info|records|record|"
    "complete information|full information|detail|info|row|rows|entries|all the columns|contents|data",
    Cue.MOST: "most|greatest number of|largest number of|highest number of|maximum number of|biggest number of|"
    "largest amount of|greatest amount of|highest amount of|most number of|most amount of|top number of|max number of|"
    "highest total number of|highest count of",
    Cue.EACH: "for each|for every|each|every|grouped by|group by|per each|in each|of each|by each|from each|broken down by|"
    "at each|on each|to each|across each|respective|split by|according to each|for all different|for each of|"
    "with each|across different|for all the different|group the result by|for different|of every|in every|"
    "for each distinct|for each different|under each",
    Cue.PER: "per|each per",
    Cue.BY: "by",
    Cue.ORDER: "ordered by|order by|sorted by|sort by|ranked by|rank by|arranged by|ordered|sorted|order|sort|ranked|"
    "arranged|in order of|in the order of|order of|listed by|in order|ordered according to|sorted according to|"
    "order them by|sort them by|sort the list by|order the results by|sort the results by|sort the result by|"
    "order the result by|listed in|and sort by|list them by|rank them by|ordering by|sorting by|sorted in terms of|"
    "sort results by|order results by|arrange by|list them in|sorted in the order of|ordered with|rank|arrange",
    Cue.NOT: "not|n't|never|is not|are not|was not|were not|isn't|aren't|wasn't|weren't|other than|excluding|except for|"
    "except|exclude|excludes|differs from|different from|nor|besides|apart from|outside|outside of|do not|does not|"
    "did not|don't|doesn't|didn't|have not|has not|had not|haven't|hasn't|hadn't|cannot|can not|can't|have never|"
    "has never|had never|are never|was never|were never|unequal to|not equal to|not equal|<>|!=|aside from|fail to|"
    "failed to|fails to|is never|do n't|does n't|did n't|is n't|are n't|was n't|were n't|has n't|have n't|had n't|nobody|nothing|no one",
    Cue.NO: "no|without|without any|no any|lack|lacks|lacking|not any|zero|with no|have no|has no|had no|"
    "do not have any|does not have any|did not have any|don't have any|doesn't have any|didn't have any|"
    "not have any|having no|there is no|there are no|not a single|is not a single|without a single|do not have a single|"
    "does not have a single|did not have a single|is not any|are not any|there is not any|there are not any|not even one|"
    "out of|are out of|is out of|ran out of|run out of|have run out of",
    Cue.NEITHER: "neither",
    Cue.NULL: "null|empty|missing|unknown|unspecified|not known|not recorded|not specified|not given|blank|"
    "not available|undefined",
    Cue.BOTH: "both",
    Cue.EITHER: "either",
    Cue.AND: "vs|vs.|versus|compared to|compared with|and|as well as|and also|together with|along with|also|&|and the|plus|in addition to|and their|and its|"
    "and then|alongside",
    Cue.OR: "or|or the|or else|and/or",
    Cue.BUT: "but|but also|yet|while|however",
    Cue.COMMA: ",|;|:",
    Cue.END: ".|?|!",
    Cue.OF: "of|'s of",
    Cue.POSSESSIVE: "'s|'|’s|’",
    Cue.PREPOSITION: "in|on|at|for|during|into|onto|about|among|within the|located in|inside|through|via|against|"
    "as of|in the|on the|at the|for the|across|regarding|concerning|belonging to|belong to|belongs to|toward|towards|"
    "under the|because of|due to|thanks to|owing to|on account of",
    Cue.FROM: "from|since when",
    Cue.TO: "to|until|through to",
    Cue.WITH: "with|with the|along",
    Cue.RELATIVE: "that|who has|who have|who had|where",
    Cue.WHOSE: "whose",
    Cue.HAVE: "have|has|had|having|own|owns|owned|possess|possesses|contain|contains|include|includes|included|including|"
    "containing|hold|holds|comprise",
    Cue.BE: "is|are|was|were|be|been|being|am",
    Cue.NONE_TOO: "including those with none",
    Cue.SAME: "same|the same|identical|as same",
    Cue.THAN: "than",
    Cue.AS: "as",
    Cue.SHARE: "percentage of|percentage|percent of|percent|proportion of|share of|fraction of|proportion|ratio of",
    Cue.DIFFERENCE: "difference between|the difference between|difference in|difference",
    Cue.ONLY: "only|just|solely|exclusively",
    Cue.STOP: "here|in here|in this list|in the list|on the list|on this list|of this list|back in|so far|by now|at all|right now|nowadays|these days|else|somebody else|someone else|anybody else|anyone else|instead|rather|i.e.|i.e|e.g.|e.g|that is to say|money|amount of money|collection|inventory|portfolio|archive|catalogue|catalog|zoo|library|museum|hotel|airline|clinic|gym|bank|agency|firm|factory|farm|theatre|cinema|studio|institute|academy|association|network|school|company|business|shop|store|system|college|university|club|hospital|"
    "organization|organisation|dataset|meter|meters|kilogram|kilograms|kg|pound|pounds|dollar|dollars|euro|euros|"
    "year old|years old|month old|months old|week old|weeks old|day old|days old|minute|minutes|hour|hours|mile|miles|km|kilometers|inch|inches|feet|foot|degree|degrees|"
    "square meters|square feet|square kilometers|people|person|persons|the|a|an|there|do|does|did|me|we|i|you|it|they|them|us|please|pls|plz|thx|thanks|thank you|kindly|asap|so|this|these|those|such|would|could|"
    "should|can|will|may|might|their|its|his|her|our|your|my|he|she|currently|ever|actually|already|exist|exists|"
    "overall list|then|respectively|corresponding|associated|available|our database|in the database|of them|"
    "in our database|in the table|in this database|in the dataset|in the system|on record|on file|has been|have been|"
    "had been|each of|a list of|the list of|list of|set of|one|ones|kind of|type of information|recorded in total|"
    "along with their|if|let|out|up|off|too|itself|themselves|himself|own s|given|following|stored|listed|registered|"
    "specific|particular|certain|value of|values of|value|values|recorded|existing|anybody|anyone|everybody|somebody|someone|anything|something|everything|yet|ever|together|named as|called as|'re|'ve|"
    "how|why|still|worldwide|globally|in the world|of the world|around the world|those of|that of|in terms of|based on|according to|in total|total of|altogether|result|results|"
    'amount to|among all|names of the different|thing|things|people who|"|(|)|“|”|-|–|/|’|`|*',
    Cue.LIGHT: "part of|a part of|take part in|takes part in|took part in|taken part in|taking part in|take part|takes part|took part|"
    "taken part|taking part|participated in|participate in|participates in|participating in|take care of|takes care of|took care of|taken care of|care|cared|cared for|look after|looks after|care for|cares for|responsible|responsible for|deal with|dealt with|dealt|live|lives|lived|living|work|works|worked|working|come|comes|came|coming|go|goes|went|locate|located|"
    "situated|find in|found|made|make|makes|making|take|takes|took|taken|taking|get|gets|got|gave|given by|use|uses|"
    "used|using|do|done|play|plays|played|playing|belong|belonging|hold|held|holding|happen|happened|happens|"
    "take place|took place|takes place|participate|participated|participates|participating|attend|attended|attends|"
    "attending|be in|serve|serves|served|serving|offer|offers|offered|offering|provided|provides|produce|produced|"
    "produces|produced by|written|write|writes|wrote|release|released|releases|publish|published|teach|teaches|"
    "taught|study|studies|studied|studying|enroll|enrolled|enrolls|register|registers|order from|buy|buys|bought|"
    "purchase|purchased|sell|sells|sold|visit|visited|visits|win|won|wins|receive|receives|received|earn|earns|"
    "earned|spend|spent|spends|start|starts|started|starting|begin|begins|began|end|ends|ended|ending|born|"
    "fly|flies|flew|flying|depart|departs|departed|departing|leave|leaves|left|leaving|arrive|arrives|arrived|"
    "arriving|land|lands|landing|stay|stays|stayed|appear|appears|appeared|perform|performs|performed|act|acted|"
    "direct|directed|speak|speaks|spoken|spoke|employ|employed|employs|hire|hired|manage|manages|managed|run|runs|"
    "ran|operate|operates|operated|cost|costs|weigh|weighs|weighing|measure|measures|last|lasts|lasted|built|build|"
    "open|opened|opens|found in|founded|establish|established|create|created|creates|join|joined|joins|treat|treats|"
    "treated|assign|assigned|connect|connected|relate|related|contribute|contributed|place|places|placed|host|hosts|"
    "hosted|hosting|see|seen|saw|sees|witness|witnessed|watch|watched|borrow|borrowed|rent|rented|pay|pays|paid|pass|passed|graduate|graduated|"
    "major|majoring|majored|specialize|total|sent|send|sends|cover|covers|covered|share|shares|shared|correspond|"
    "involve|involved|involves|undergo|undergone|reach|reaches|lead|leads|led|advise|advises|advised|own|keep|keeps|"
    "kept|house|houses|occur|occurs|occurred|appeared|name|named|called|titled|known|entitled|labeled|designated|"
    "occurring|accept|accepts|accepted|ship|shipped|ships|deliver|delivered|make up|supply|supplies|supplied|post|"
    "posted|occupy|live in|grow|grows|grew|grown|eat|eats|feed|feeds|fed|exhibit|exhibited|show up|shown|displayed|"
    "get from|scored|score|scores|hit|hitting|threw|thrown|collected|amassed|gained|achieve|achieved|obtain|obtained|choose|chosen|compete|competed|competes|reside|"
    "resides|based|originate|originates|originated|travel|travels|travelled|carry|carries|carried|charge|charges|"
    "supervise|supervises|supervised|report|reports|reported|answer|answered|worth|printed|brings in|bring in|brought in|rate|rated|rates|review|reviewed|"
    "mentioned|recorded|signed|sign|signs|elected|elect|nominated|nominate|awarded|won by|driven|drive|drives|"
    "drove|written by|belonged|consist|consists|associated with|related to|linked|link|equipped|need|needs|needed|"
    "require|requires|required|prefer|prefers|preferred|like|likes|liked|stand|stands|lie|lies|published by|released by",
}
_DESCENDING: Final = (
    "descending|desc|decreasing|descendingly|in descending order|in decreasing order|descending order|reverse|"
    "in reverse order|from high to low|from highest to lowest|from largest to smallest|from most to least|"
    "from big to small|in reversed order|in a descending order|"
    "from the highest to the lowest|from the largest to the smallest|high to low|descending order of|"
    "in descending order of|in decreasing order of|in the descending order of|in descending order by|"
    "the descending order of|in the descending order|from the most to the least|largest to smallest|"
    "highest to lowest|most to least|from z to a|from greatest to least|from long to short|from the latest|"
    "largest first|highest first|in reverse chronology"
)
_ASCENDING: Final = (
    "ascending|asc|increasing|ascendingly|in ascending order|in increasing order|ascending order|from low to high|"
    "from lowest to highest|from smallest to largest|from least to most|from small to big|"
    "in an ascending order|from the lowest to the highest|from the smallest to the largest|low to high|"
    "ascending order of|in ascending order of|in increasing order of|in the ascending order of|"
    "in ascending order by|the ascending order of|in the ascending order|from the least to the most|"
    "smallest to largest|lowest to highest|from short to long|from the earliest|chronological order|"
    "in chronological order|chronologically|smallest first|lowest first"
)
_ALPHABETICAL: Final = (
    "alphabetical|alphabetically|lexicographical|lexicographically|lexicographic|in alphabetical order|"
    "in lexicographical order|in lexicographic order|alphabetical order|lexicographical order|alphabetic|"
    "in alphabetical order of|in alphabetical order by|alphabetical order of|in alphabetic order|from a to z|"
    "alphabetic order|in lexicographical order of|in lexicographic order of|alphabetically by|by alphabetical order"
)
_TURNED: Final = ("descending", "decreasing", "reverse", "reversed", "inverse", "inverted", "opposite")
_BY_LETTERS: Final = ("alphabetical", "alphabetic", "lexicographical", "lexicographic", "chronological")
_MATCHES: Final = {
    "starts": "starting with the word|starts with the word|start with the word|beginning with the word|begins with the word|begin with the word|starting with|starts with|start with|beginning with|begins with|begin with|started with|"
    "starting with the letter|starts with the letter|begins with the letter|beginning with the letter|"
    "start with the letter|begin with the letter|beginning with letter|with the initial|starting with letter",
    "ends": "ending with the word|ends with the word|end with the word|ending with|ends with|end with|ending in|ends in|end in|ended with|ending with the letter|"
    "ends with the letter|end with the letter|finishing with",
    "contains": "containing|contains|contain|including the word|includes|include|that include|with the substring|"
    "contains the word|containing the word|contain the word|has the word|have the word|with the word|like|"
    "has the substring|have the substring|has substring|contains the substring|contain the substring|including|"
    "contains substring|containing the letter|contains the letter|contain the letter|with the letter|the word|"
    "the phrase|containing the phrase|contains the phrase|the substring|has the letter|have the letter|"
    "has a substring|with the phrase|that has the word|contains the string|containing the string|the string|"
    "containing the substring|with substring|contains letter|the letter|the letters|mention|mentions|mentioning|"
    "mention the|mentions the|mentioning the|talk about|talks about|talking about|complain about|complains about",
}


def _phrases() -> Phrases:
    found: Phrases = {}

    def add(texts: str, cue: Cue, said: Any = None) -> None:
        for text in texts.split("|"):
            if text:
                found.setdefault(tuple(text.split(" ")), (cue, said))

    for aggregate, texts in _AGGREGATES.items():
        add(texts, Cue.AGGREGATE, aggregate)
    for operator, texts in _OPERATORS.items():
        add(texts, Cue.COMPARE, operator)
    add("after|later than|from after|following the", Cue.COMPARE, (Operator.MORE, "time"))
    add("since|ever since", Cue.COMPARE, (Operator.AT_LEAST, "time"))
    add("before|earlier than|prior to|until before", Cue.COMPARE, (Operator.LESS, "time"))
    add("more|higher|larger|greater|bigger", Cue.MORE, Operator.MORE)
    add("less|fewer|lower|smaller", Cue.MORE, Operator.LESS)
    add("between|in between|ranging from|ranges from|range from|in the range of|in the range from", Cue.BETWEEN)
    for how, texts in _MATCHES.items():
        add(texts, Cue.MATCH, how)
    for how, manner in product(_TURNED, _BY_LETTERS):
        add(f"{how} {manner}|{how} {manner} order|in {how} {manner} order|{manner} {how}|in {manner} {how} order",
            Cue.DIRECTION, "desc")  # fmt: skip
    add(_DESCENDING, Cue.DIRECTION, "desc")
    add(_ASCENDING, Cue.DIRECTION, "asc")
    add(_ALPHABETICAL, Cue.DIRECTION, "alpha")
    add("most common|most frequent|most frequently|most popular|most prevalent|most often|most commonly|"
        "most used|most widely used|most commonly used|predominant|most occurring|most times", Cue.COMMON, True)  # fmt: skip
    add("least common|least frequent|least frequently|least popular|least often|least commonly|rarest|least used|"
        "least prevalent|fewest times", Cue.COMMON, False)  # fmt: skip
    add("fewest|least|smallest number of|lowest number of|minimum number of|least number of|smallest amount of|"
        "lowest amount of|least amount of|fewest number of|min number of", Cue.MOST, False)  # fmt: skip
    add("top", Cue.TOP)
    for cue, texts in _PLAIN.items():
        add(texts, cue, True if cue is Cue.MOST else None)
    for denied in ("is not", "are not", "was not", "were not", "has not been", "have not been"):
        for how in (denied, denied.replace(" not", " n't"), denied.replace(" not", "n't")):
            for known in ("known", "recorded", "given", "specified", "available"):
                add(f"{how} {known}|{how} yet {known}", Cue.NULL)
    return found


ORDINALS: Final = {
    word: at
    for at, words in enumerate(
        ("second 2nd", "third 3rd", "fourth 4th", "fifth 5th", "sixth 6th", "seventh 7th", "eighth 8th", "ninth 9th",
         "tenth 10th"), 2)
    for word in words.split(" ")
}  # fmt: skip
PHRASES: Final = _phrases()
LONGEST: Final = max(map(len, PHRASES))
