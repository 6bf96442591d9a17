(* The part of the checker that is not proved: from the text of a certificate
   to the numbers that the proved checker decides about, and the sentence that
   its theorem means. The rules and limits are those of the specification's
   page on certificates.                                                       *)

open Checker

exception Unreadable of string    (* no certificate, or one that is too large *)
exception Refuted of string       (* a certificate that says something else than the arithmetic *)
exception Not_covered of string   (* a certificate of a claim that is not proved here *)

let unreadable reason = raise (Unreadable reason)
let refuted reason = raise (Refuted reason)

(* ---- limits ---- *)

let max_trials = Z.of_int 1_000_000
let max_bits = Z.of_int 4_000_000
let max_exact = Z.of_string "60000000000"
let max_terms = Z.of_int 40_000_000
let max_summed = Z.of_string "200000000000"
let max_sums = Z.of_string "50000000000"
let max_room = Z.of_int 400_000_000   (* bits of a number that the proved checker holds several times *)
let max_pairs = Z.of_int 1_000_000
let max_owners = Z.of_int 10_000
let max_rare = Z.of_int 400
let longest_number = 1_000_001    (* hexadecimal digits: max_bits *)

let too_large () = unreadable "the parameters are too large for a check in bounded time"

(* ---- fractions ---- *)

type fraction = { above : Z.t; below : Z.t }   (* in lowest terms *)

let shown e = if Z.equal e.below Z.one then Z.to_string e.above else Z.to_string e.above ^ "/" ^ Z.to_string e.below
let floor_times e n = Z.fdiv (Z.mul e.above n) e.below
let ceil_times e n = Z.cdiv (Z.mul e.above n) e.below

(* ---- fields ---- *)

let object_with keys where = function
  | Json.Object pairs when List.length pairs = List.length keys && List.for_all (fun key -> List.mem_assoc key pairs) keys ->
    fun key -> List.assoc key pairs
  | _ -> unreadable (where ^ " must be an object with the keys " ^ String.concat ", " keys ^ " and no other")

let text where = function Json.Text s -> s | _ -> unreadable (where ^ " must be a string")

let is_digit c = c >= '0' && c <= '9'
let is_hex c = is_digit c || (c >= 'a' && c <= 'f')

(* digits of a number without a leading zero; zero itself only if allowed *)
let spelled digit most ~zero s =
  let n = String.length s in
  n >= 1 && n <= most && String.for_all digit s && (s.[0] <> '0' || (zero && n = 1))

let positive most where s =
  if spelled is_digit most ~zero:false s then Z.of_string s else unreadable (where ^ " must be a whole number above 0")

let whole parameters name least =
  let where = "parameters." ^ name in
  let n = positive 12 where (text where (parameters name)) in
  if Z.lt n (Z.of_int least) then unreadable (where ^ " must be at least " ^ string_of_int least);
  n

let fraction parameters name =
  let where = "parameters." ^ name in
  let s = text where (parameters name) in
  match String.split_on_char '/' s with
  | ["0"] -> { above = Z.zero; below = Z.one }
  | [p] -> { above = positive 400 where p; below = Z.one }
  | [p; q] ->
    let e = { above = positive 400 where p; below = positive 400 where q } in
    if not (Z.equal (Z.gcd e.above e.below) Z.one) || Z.equal e.below Z.one then
      unreadable (where ^ " is not in lowest terms");
    e
  | _ -> unreadable (where ^ " must be a fraction")

let epsilon parameters =
  let e = fraction parameters "epsilon" in
  if Z.sign e.above = 0 then unreadable "parameters.epsilon is 0";
  e

let hex where value =
  let s = text where value in
  if spelled is_hex 64 ~zero:true s then Z.of_string ("0x" ^ s) else unreadable (where ^ " must be a hexadecimal number")

(* an entry that was computed may be wrong, and must have the keys of an entry *)
let require_entries_readable where = function
  | Json.List entries ->
    let keys = ["f"; "first"; "last"; "mantissa"; "shift"] in
    List.iter
      (function
        | Json.Object _ as entry -> let _ : string -> Json.t = object_with keys (where ^ "[]") entry in ()
        | _ -> ())
      entries
  | _ -> ()

(* a number that the arithmetic gives: refuted, not unreadable, if it has another form *)
let numerator_of where = function
  | Json.Text s when spelled is_hex longest_number ~zero:true s -> Z.of_string ("0x" ^ s)
  | _ -> refuted (where ^ " is not what the arithmetic gives")

let require where value computed =
  if value <> Json.Text (Z.format "%x" computed) then refuted (where ^ " is not what the arithmetic gives")

(* ---- decimals ---- *)

let ten = Z.of_int 10
let twelve_digits = Z.pow ten 12

(* a probability rounded to twelve significant digits *)
let decimal ~up top whole =
  if Z.sign top = 0 then "0" else begin
    let place = ref (((Z.numbits top - Z.numbits whole - 1) * 30103) / 100000 - 2) in
    let scaled = 11 - !place in
    let digits, rest =
      if scaled >= 0 then Z.div_rem (Z.mul top (Z.pow ten scaled)) whole
      else Z.div_rem top (Z.mul whole (Z.pow ten (- scaled))) in
    let digits = ref digits and inexact = ref (Z.sign rest > 0) in
    while Z.geq !digits twelve_digits do
      let q, r = Z.div_rem !digits ten in
      digits := q; inexact := !inexact || Z.sign r > 0; incr place
    done;
    if up && !inexact then begin
      digits := Z.succ !digits;
      if Z.equal !digits twelve_digits then (digits := Z.div !digits ten; incr place)
    end;
    let s = Z.to_string !digits in
    let last = ref (String.length s) in
    if not !inexact then while !last > 0 && s.[!last - 1] = '0' do decr last done;
    let s = String.sub s 0 !last and place = !place in
    if place >= -6 && place < 0 then "0." ^ String.make (- place - 1) '0' ^ s
    else
      String.sub s 0 1
      ^ (if String.length s > 1 then "." ^ String.sub s 1 (String.length s - 1) else "")
      ^ (if place <> 0 then "e" ^ string_of_int place else "")
  end

(* the decimal as a fraction *)
let read_decimal s =
  let mantissa, exponent = match String.split_on_char 'e' s with
    | [m; e] -> (m, int_of_string e)
    | _ -> (s, 0) in
  let digits, places = match String.split_on_char '.' mantissa with
    | [a; b] -> (a ^ b, String.length b)
    | _ -> (mantissa, 0) in
  let scale = places - exponent in
  if scale >= 0 then (Z.of_string digits, Z.pow ten scale) else (Z.mul (Z.of_string digits) (Z.pow ten (- scale)), Z.one)

(* ---- the law, its limits and the words for it ---- *)

let lowest above below =
  let common = Z.gcd above below in
  { above = Z.divexact above common; below = Z.divexact below common }

(* the group size, and with a retention p the chances p and (1 - p) / (gamma - 1) *)
type law = { gamma : Z.t; kept : (fraction * fraction) option }

let law parameters has =
  let gamma = whole parameters "gamma" 2 in
  if not (has "retention") then { gamma; kept = None }
  else begin
    let p = fraction parameters "retention" in
    if Z.sign p.above = 0 || Z.geq p.above p.below || Z.equal (Z.mul p.above gamma) p.below then
      unreadable "parameters.retention must be above 0, below 1 and other than 1/gamma";
    { gamma; kept = Some (p, lowest (Z.sub p.below p.above) (Z.mul p.below (Z.pred gamma))) }
  end

(* what probabilities at f are multiplied by *)
let whole_of { gamma; kept } f =
  match kept with
  | None -> Z.pow gamma (Z.to_int (Z.mul gamma f))
  | Some (p, q) -> Z.mul (Z.pow p.below (Z.to_int f)) (Z.pow q.below (Z.to_int (Z.mul (Z.pred gamma) f)))

let chances (p, q) = { own_num = p.above; own_den = p.below; other_num = q.above; other_den = q.below }

let refuse_if_too_large { gamma; kept } f e sums =
  let n = Z.mul gamma f in
  if Z.gt n max_trials then too_large ();
  match kept with
  | Some (p, q) ->
    let own = Z.numbits p.below and other = Z.numbits q.below in
    let bits = Z.add (Z.mul f (Z.of_int own)) (Z.mul (Z.sub n f) (Z.of_int other)) in
    let digits = Z.of_int (1 + (own + other + Z.numbits n) / 30) in
    let terms = Z.succ (Z.min n (Z.add f (Z.succ (floor_times e f)))) in
    if Z.gt bits max_bits || Z.gt (Z.mul (Z.mul bits terms) (Z.mul digits (Z.add sums (Z.of_int 2)))) max_summed
       || Z.gt (Z.mul terms sums) max_terms then too_large ()
  | None ->
  let bits = Z.mul n (Z.of_int (Z.numbits gamma)) in
  let window = Z.add (Z.min n (floor_times { e with above = Z.mul (Z.of_int 2) e.above } f)) (Z.of_int 3) in
  if Z.gt bits max_bits || Z.gt (Z.mul bits window) max_exact then too_large ();
  let by_count = Z.add (Z.of_int 400) (Z.mul (Z.of_int 28) (Z.sqrt f)) in
  let by_ratio = Z.add (Z.fdiv (Z.mul (Z.of_int 266) (Z.add e.above e.below)) e.above) (Z.of_int 2) in
  if Z.gt (Z.mul (Z.mul (Z.of_int 2) (Z.min by_count by_ratio)) sums) max_terms then too_large ()

(* The name and the bound of dependent draws. Capped ones leave the law of counts up to the cap as it is. *)
let draws_of parameters has =
  if not (has "draws") then None
  else if has "retention" then unreadable "parameters: with draws the retention is 1/gamma, and left out"
  else match String.split_on_char ':' (text "parameters.draws" (parameters "draws")) with
    | ["capped" | "all-or-none" as name; bound] -> Some (name, positive 12 "parameters.draws" bound)
    | _ -> unreadable "parameters.draws must be capped:M or all-or-none:A"

let require_within where count = function
  | Some (_, bound) when Z.gt count bound -> unreadable (where ^ " is above the bound of the draws")
  | _ -> ()

let require_capped = function
  | Some ("all-or-none", _) -> unreadable "with draws there is this claim for capped ones only"
  | _ -> ()

let setting law draws more =
  let named = ("gamma = " ^ Z.to_string law.gamma)
    :: (match law.kept with None -> [] | Some (p, _) -> ["retention = " ^ shown p])
    @ (match draws with None -> [] | Some (name, bound) -> ["draws = " ^ name ^ ":" ^ Z.to_string bound]) @ more in
  let rec joined = function
    | [one] -> one
    | [one; last] -> one ^ " and " ^ last
    | one :: rest -> one ^ ", " ^ joined rest
    | [] -> "" in
  "With " ^ joined named

let require_statement said sentence =
  if said <> Json.Text sentence then refuted "statement is not what the arithmetic gives"

(* ---- the claims: each gives the sentence, and the answer of the proved checker ---- *)

let small_sum_privacy parameters has evidence said =
  let law = law parameters has and alpha = whole parameters "alpha" 1 and e = epsilon parameters in
  let draws = draws_of parameters has in
  require_within "parameters.alpha" alpha draws;
  let rare = match draws with Some ("all-or-none", _) -> true | _ -> false in
  if rare && has "releases" then unreadable "parameters: for all-or-none draws there is this claim for one release only";
  let releases = if has "releases" then whole parameters "releases" 2 else Z.one in
  let most = Z.mul releases alpha in
  if not rare then refuse_if_too_large law most e (Z.mul (Z.of_int 2) (Z.min alpha (Z.succ (floor_times e most))))
  else if Z.gt alpha max_rare then too_large ();
  let given = object_with ["theorem_4"; "definition_2"] "evidence" evidence in
  let form name sign =
    let where = "evidence." ^ name in
    let entry = object_with (["argmin"; "numerator"] @ if rare then [] else ["candidates"]) where (given name) in
    if not rare then require_entries_readable (where ^ ".candidates") (entry "candidates");
    let argmin = numerator_of (where ^ ".argmin") (entry "argmin") in
    if Z.lt argmin Z.one || Z.gt argmin alpha then refuted (where ^ ".argmin is not what the arithmetic gives");
    let least = numerator_of (where ^ ".numerator") (entry "numerator") in
    let whole =
      if rare then Z.pow law.gamma (Z.to_int argmin) else whole_of law (Z.mul releases argmin) in
    let value = decimal ~up:false least whole in
    let value_num, value_den = read_decimal value in
    ({ argmin; least; value_num; value_den },
     "|f' - f| " ^ sign ^ " (" ^ shown e ^ ") f has a probability of at least " ^ value ^ ", least at f = "
     ^ Z.to_string argmin) in
  let mean =
    if has "releases" then ["f' the mean of " ^ Z.to_string releases ^ " independent published counts"] else [] in
  let theorem_4, strict = form "theorem_4" ">" in
  let definition_2, weak = form "definition_2" ">=" in
  let sentence =
    setting law draws mean ^ ", for every count f from 1 to " ^ Z.to_string alpha ^ ": " ^ strict ^ "; " ^ weak ^ "." in
  require_statement said sentence;
  let c = { gamma = law.gamma; eps_num = e.above; eps_den = e.below; releases; alpha; theorem_4; definition_2 } in
  (sentence,
   match law.kept with
   | Some kept -> check_privacy_at (chances kept) c
   | None -> if rare then check_all_or_none c else check_privacy c)

let error_probability parameters has evidence said =
  let law = law parameters has and f = whole parameters "frequency" 1 and e = epsilon parameters in
  let draws = draws_of parameters has in
  require_capped draws;
  require_within "parameters.frequency" f draws;
  refuse_if_too_large law f e Z.zero;
  let given = object_with ["f"; "first"; "last"; "numerator"] "evidence" evidence in
  let j = ceil_times e f in
  require "evidence.f" (given "f") f;
  require "evidence.first" (given "first") (Z.max Z.zero (Z.succ (Z.sub f j)));
  require "evidence.last" (given "last") (Z.min (Z.mul law.gamma f) (Z.pred (Z.add f j)));
  let top = numerator_of "evidence.numerator" (given "numerator") in
  let value = decimal ~up:true top (whole_of law f) in
  let sentence =
    setting law draws ["the count f = " ^ Z.to_string f] ^ ": |f' - f| >= (" ^ shown e
    ^ ") f has a probability of at most " ^ value ^ ", which is exact or rounded up." in
  require_statement said sentence;
  let e_value_num, e_value_den = read_decimal value in
  let c =
    { e_gamma = law.gamma; e_num = e.above; e_den = e.below; e_count = f; e_top = top; e_value_num; e_value_den } in
  (sentence, match law.kept with None -> check_error c | Some kept -> check_error_at (chances kept) c)

let utility_threshold parameters has evidence said =
  let law = law parameters has and t_f = whole parameters "t_f" 1 and e = epsilon parameters in
  let t_e = fraction parameters "t_e" in
  let given = object_with ["violation"; "ends"; "tail"] "evidence" evidence in
  let tail = object_with ["from"; "upper"; "lower"] "evidence.tail" (given "tail") in
  let start = hex "evidence.tail.from" (tail "from") in
  if Z.lt start Z.one || Z.gt t_e.above t_e.below then
    unreadable "evidence.tail.from must be at least 1, and parameters.t_e at most 1";
  let draws = draws_of parameters has in
  require_capped draws;
  require_within "the count before the tail" (Z.pred (Z.max start t_f)) draws;
  (match given "violation" with
   | Json.Object _ as entry when Z.gt t_f Z.one ->
     let _ : string -> Json.t = object_with ["f"; "first"; "last"; "numerator"] "evidence.violation" entry in ()
   | _ -> ());
  require_entries_readable "evidence.ends" (given "ends");
  let gap = Z.max Z.zero (Z.sub start t_f) in
  refuse_if_too_large law (Z.max start t_f) e (Z.min gap (Z.succ (floor_times e gap)));
  let sentence =
    setting law draws [] ^ ": |f' - f| >= (" ^ shown e ^ ") f has a probability of at most " ^ shown t_e
    ^ " for every count f >= " ^ Z.to_string t_f
    ^ (if Z.equal t_f Z.one then "" else ", and above " ^ shown t_e ^ " at f = " ^ Z.to_string (Z.pred t_f)) ^ "." in
  require_statement said sentence;
  let side name farthest =
    if Z.equal t_e.above t_e.below || Z.gt e.above (Z.mul farthest e.below) then
      if tail name = Json.Null then (Z.zero, Z.zero)
      else refuted ("evidence.tail." ^ name ^ " is not what the arithmetic gives")
    else begin
      let where = "evidence.tail." ^ name in
      let entry = object_with ["numerator"; "denominator"; "mantissa"; "shift"] where (tail name) in
      let p = hex (where ^ ".numerator") (entry "numerator") and q = hex (where ^ ".denominator") (entry "denominator") in
      if Z.sign q = 0 || not (Z.equal (Z.gcd p q) Z.one) then unreadable (where ^ " is not in lowest terms");
      (p, q)
    end in
  let high_num, high_den = side "upper" (Z.pred law.gamma) and low_num, low_den = side "lower" Z.one in
  let c =
    { t_gamma = law.gamma; t_num = e.above; t_den = e.below; te_num = t_e.above; te_den = t_e.below; t_f;
      t_from = start; high_num; high_den; low_num; low_den } in
  (sentence, match law.kept with None -> check_threshold c | Some kept -> check_threshold_at (chances kept) c)

let concept_error parameters _ evidence said =
  let gamma = whole parameters "gamma" 2 and e = epsilon parameters in
  let rows = whole parameters "rows" 1 and f = whole parameters "sensitive_count" 1 in
  let n = whole parameters "predicate_count" 1 and x3 = whole parameters "concept_count" 1 in
  let decoys =
    match parameters "decoys_in_predicate" with
    | Json.Text "0" -> Z.zero
    | given -> positive 12 "parameters.decoys_in_predicate" (text "parameters.decoys_in_predicate" given) in
  let inside = Z.add x3 decoys and owners = Z.mul gamma f in
  let outside = Z.sub owners inside in
  if Z.sign (Z.rem rows gamma) <> 0 || Z.gt inside n || Z.gt x3 f || Z.gt decoys (Z.sub owners f)
     || Z.gt outside (Z.sub rows n) then
    unreadable "no table has a predicate with these counts";
  if Z.gt owners max_owners || Z.gt (Z.mul (Z.succ inside) (Z.succ outside)) max_pairs then too_large ();
  let top = numerator_of "evidence.numerator" (object_with ["numerator"] "evidence" evidence "numerator") in
  let value = decimal ~up:true top (Z.pow gamma (Z.to_int owners)) in
  let sentence =
    "With gamma = " ^ Z.to_string gamma ^ ": where x3 = " ^ Z.to_string x3 ^ " of the " ^ Z.to_string n
    ^ " records of a predicate carry a value, which f = " ^ Z.to_string f ^ " of " ^ Z.to_string rows
    ^ " records carry and which " ^ Z.to_string decoys
    ^ " others of the predicate have among their decoys, the corrected estimate of x3 is off by at least (" ^ shown e
    ^ ") x3 with a probability of at most " ^ value ^ ", which is exact or rounded up." in
  require_statement said sentence;
  let k_value_num, k_value_den = read_decimal value in
  (sentence,
   check_concept
     { k_gamma = gamma; k_num = e.above; k_den = e.below; k_rows = rows; k_count = f; k_records = n; k_both = x3;
       k_decoys = decoys; k_top = top; k_value_num; k_value_den })

let d_gamma parameters _ evidence said =
  let alpha = fraction parameters "alpha" and beta = fraction parameters "beta" in
  let d = fraction parameters "d" and gamma = fraction parameters "gamma" in
  let ( * ) = Z.mul and ( - ) = Z.sub in
  let kept = Z.add (alpha.above * beta.below) (beta.above * alpha.below) and whole = alpha.below * beta.below in
  if Z.sign alpha.above = 0 || Z.gt kept whole then
    unreadable "parameters.alpha must be above 0, and alpha + beta at most 1";
  if Z.sign d.above = 0 || Z.gt (d.above * gamma.below) (gamma.above * d.below) || Z.geq gamma.above gamma.below then
    unreadable "parameters.d must be above 0 and at most gamma, and gamma below 1";
  let least = { above = d.above * gamma.below; below = d.below * gamma.above } in
  let common = Z.gcd least.above least.below in
  let least = { above = Z.divexact least.above common; below = Z.divexact least.below common } in
  let sentence =
    "With alpha = " ^ shown alpha ^ " and beta = " ^ shown beta ^ ", the alpha-beta algorithm is (" ^ shown d ^ ", "
    ^ shown gamma ^ ")-private: for every prior of a tuple above 0 and at most " ^ shown d
    ^ ", tuples independent, its posterior is at most " ^ shown gamma ^ ", and at least " ^ shown least
    ^ " times the prior." in
  require_statement said sentence;
  let given = object_with ["published"; "unpublished"] "evidence" evidence in
  let sides name left right =
    let where = "evidence." ^ name in
    let entry = object_with ["left"; "right"] where (given name) in
    require (where ^ ".left") (entry "left") left;
    require (where ^ ".right") (entry "right") right in
  sides "published" (alpha.below * beta.above * gamma.above * (d.below - d.above))
    (kept * d.above * (gamma.below - gamma.above));
  sides "unpublished" ((whole - kept) * gamma.above * d.below)
    (alpha.below * (beta.below - beta.above) * d.above * gamma.below);
  (sentence,
   check_tuples
     { a_num = alpha.above; a_den = alpha.below; b_num = beta.above; b_den = beta.below; d_num = d.above;
       d_den = d.below; g_num = gamma.above; g_den = gamma.below })

(* ---- retention replacement ---- *)

(* the levels, and the start of the sentence *)
let levels parameters =
  let p = fraction parameters "retention" and low = fraction parameters "rho1" and high = fraction parameters "rho2" in
  if Z.gt p.above p.below || Z.sign low.above = 0 || Z.geq (Z.mul low.above high.below) (Z.mul high.above low.below)
     || Z.geq high.above high.below then
    unreadable "parameters: retention must be at most 1, and 0 < rho1 < rho2 < 1";
  let values = whole parameters "values" 2 in
  let l : Checker.levels =
    { p_num = p.above; p_den = p.below; values; rho1_num = low.above; rho1_den = low.below; rho2_num = high.above;
      rho2_den = high.below } in
  (l, low, high,
   "With retention = " ^ shown p ^ " and replacements drawn uniformly from " ^ Z.to_string values ^ " values: ")

(* the counts as they are listed, and as numbers *)
let listed_counts (l : Checker.levels) parameters =
  let listed = text "parameters.counts" (parameters "counts") in
  let counts = List.map (positive 12 "parameters.counts") (String.split_on_char ' ' listed) in
  let size = List.length counts in
  if size > 500 || Z.gt (Z.of_int size) l.values then
    unreadable "parameters.counts must have at most 500 counts, one for a value";
  (listed, counts, size)

let breach parameters _ evidence said =
  let l, low, high, start = levels parameters in
  let listed, counts, size = listed_counts l parameters in
  let given = object_with ["secret"; "observed"] "evidence" evidence in
  let secret = match given "secret" with
    | Json.List places -> List.rev (List.rev_map (hex "evidence.secret") places)   (* a long list needs no stack *)
    | _ -> unreadable "evidence.secret must be a list of places of the counts" in
  let observed = hex "evidence.observed" (given "observed") in
  let rec ascending = function a :: (b :: _ as rest) -> Z.lt a b && ascending rest | _ -> true in
  if not (ascending secret && List.for_all (fun place -> Z.lt place (Z.of_int size)) secret) then
    refuted "evidence.secret is not an ascending list of places of the counts";
  if not (List.exists (Z.equal observed) secret) then refuted "evidence.observed is not a place of the secret";
  let count place = List.nth counts (Z.to_int place) in
  let sum = List.fold_left Z.add Z.zero in
  let all = sum counts and set = sum (List.map count secret) in
  let posterior weight =
    Z.add (Z.mul (Z.mul l.p_num l.values) (count observed)) (Z.mul (Z.sub l.p_den l.p_num) weight) in
  let before = lowest set all and after = lowest (posterior set) (posterior all) in
  let sentence =
    start ^ "where the values have the counts " ^ listed ^ ", seeing value " ^ Z.to_string (Z.succ observed)
    ^ " lifts the belief in one of the values "
    ^ String.concat ", " (List.map (fun place -> Z.to_string (Z.succ place)) secret)
    ^ " from " ^ shown before ^ ", at most " ^ shown low ^ ", to " ^ shown after ^ ", at least " ^ shown high ^ "." in
  require_statement said sentence;
  (sentence,
   check_breach
     { b_levels = l; b_counts = counts; secret; observed; before_num = before.above; before_den = before.below;
       after_num = after.above; after_den = after.below })

(* which sets fit is what the proved checker finds out; what it takes is bounded here *)
let safe_given_counts (l : Checker.levels) low high start parameters entry said =
  let listed, counts, _ = listed_counts l parameters in
  let room = floor_times low (List.fold_left Z.add Z.zero counts) in
  let small = List.filter (fun count -> Z.leq count room) counts in
  let size list = Z.of_int (List.length list) in
  if Z.gt (Z.mul (Z.mul (size (List.sort_uniq Z.compare small)) (size small)) room) max_sums then too_large ();
  if Z.gt room max_room then raise (Not_covered "a prior with so many records");
  let part name = numerator_of ("evidence.largest." ^ name) (entry name) in
  let most = { above = part "numerator"; below = part "denominator" } in
  if Z.sign most.below = 0 || not (Z.equal (Z.gcd most.above most.below) Z.one) then
    refuted "evidence.largest is not in lowest terms";
  let sentence =
    start ^ "where the values have the counts " ^ listed ^ ", what is published lifts the belief in no set of values from at most "
    ^ shown low ^ " to more than " ^ shown most ^ ", below " ^ shown high ^ "." in
  require_statement said sentence;
  (sentence, check_counted { c_levels = l; c_counts = counts; most_num = most.above; most_den = most.below })

let safe parameters has evidence said =
  let l, low, high, start = levels parameters in
  let largest = object_with ["largest"] "evidence" evidence "largest" in
  let entry = object_with ["numerator"; "denominator"] "evidence.largest" largest in
  if has "counts" then safe_given_counts l low high start parameters entry said
  else begin
    let rest = Z.sub l.p_den l.p_num in
    if Z.sign rest = 0 then refuted "the amplification has no bound";
    let most = lowest (Z.add rest (Z.mul l.p_num l.values)) rest in
    let least =
      lowest (Z.mul high.above (Z.sub low.below low.above)) (Z.mul low.above (Z.sub high.below high.above)) in
    let sentence =
      start ^ "what is published has an amplification of " ^ shown most ^ ", below the " ^ shown least
      ^ " from which on some prior lets it lift a belief from at most " ^ shown low ^ " to at least " ^ shown high ^ "." in
    require_statement said sentence;
    require "evidence.largest.numerator" (entry "numerator") most.above;
    require "evidence.largest.denominator" (entry "denominator") most.below;
    (sentence, check_safe { s_levels = l; ratio_num = most.above; ratio_den = most.below })
  end

(* name, parameters, parameters that may be left out, and what decides *)
let covered = [
  ("small-sum-privacy", ["gamma"; "epsilon"; "alpha"], ["retention"; "releases"; "draws"], small_sum_privacy);
  ("error-probability", ["gamma"; "epsilon"; "frequency"], ["retention"; "draws"], error_probability);
  ("utility-threshold", ["gamma"; "epsilon"; "t_e"; "t_f"], ["retention"; "draws"], utility_threshold);
  ("concept-error",
   ["gamma"; "epsilon"; "rows"; "sensitive_count"; "predicate_count"; "concept_count"; "decoys_in_predicate"], [],
   concept_error);
  ("d-gamma", ["alpha"; "beta"; "d"; "gamma"], [], d_gamma);
  ("breach", ["retention"; "values"; "rho1"; "rho2"; "counts"], [], breach);
  ("safe", ["retention"; "values"; "rho1"; "rho2"], ["counts"], safe);
]

let not_covered = ["utility-bound"; "sample-size"; "optimal-operator"]

let require_label where value =
  let s = text where value in
  let letter c = is_digit c || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c = '.' || c = '+' || c = '-' in
  if s = "" || String.length s > 64 || not (String.for_all letter s) then
    unreadable (where ^ " must be 1 to 64 letters, digits or .+-")

(* The sentence of a certificate and whether the proved checker accepts it. *)
let check source =
  let top =
    object_with ["schema"; "claim"; "parameters"; "statement"; "evidence"; "produced_by"] "the certificate"
      (Json.parse source) in
  let claim = text "claim" (top "claim") in
  if text "schema" (top "schema") <> "splu-ref/certificate/1" then unreadable "schema must be splu-ref/certificate/1";
  let produced = object_with ["version"; "spec"] "produced_by" (top "produced_by") in
  require_label "produced_by.version" (produced "version");
  require_label "produced_by.spec" (produced "spec");
  if List.mem claim not_covered then raise (Not_covered ("the claim " ^ claim));
  match List.find_opt (fun (name, _, _, _) -> name = claim) covered with
  | None -> unreadable "the certificate is of no known claim"
  | Some (_, names, optional, decide) ->
    let has name = match top "parameters" with Json.Object pairs -> List.mem_assoc name pairs | _ -> false in
    let parameters = object_with (names @ List.filter has optional) "parameters" (top "parameters") in
    decide parameters has (top "evidence") (top "statement")
