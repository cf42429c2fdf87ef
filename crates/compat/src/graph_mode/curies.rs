//! Types of what CURIEs name, by their prefixes.

/// Prefixes of the Biolink Model whose ids are all of one type, in lower case.
const TYPES: [(&str, &[&str]); 9] = [
    (
        "gene",
        &[
            "ncbigene", "hgnc", "ensembl", "mgi", "rgd", "zfin", "flybase",
        ],
    ),
    ("protein", &["uniprotkb", "pr"]),
    ("disease", &["mondo", "doid", "orphanet"]),
    ("phenotype", &["hp", "mp"]),
    (
        "chemical",
        &[
            "chebi",
            "chembl.compound",
            "pubchem.compound",
            "cas",
            "inchikey",
            "unii",
        ],
    ),
    ("drug", &["drugbank", "rxcui"]),
    (
        "pathway",
        &["react", "wikipathways", "kegg.pathway", "smpdb"],
    ),
    ("anatomy", &["uberon"]),
    ("cell", &["cl"]),
];

/// Returns the type of what a CURIE names, if its prefix says so.
pub(super) fn type_of(curie: &str) -> Option<&'static str> {
    let (prefix, _) = curie.split_once(':')?;
    let prefix = prefix.to_lowercase();
    let found = TYPES
        .iter()
        .find(|(_, prefixes)| prefixes.contains(&prefix.as_str()));
    found.map(|(ty, _)| *ty)
}
