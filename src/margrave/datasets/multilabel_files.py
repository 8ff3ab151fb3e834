"""Which files the multi-label sets consist of, their checksums, and where they were published."""

from margrave.datasets.origin import DataFile, Origin, Registry

_REPOSITORY, _COMMIT = "tsoumakas/mulan", "43f6389095ad71984264db4387a8074b22bc7d4a"


def _mulan(name: str, licence: str, checksums: dict[str, str], published: str | None) -> Registry:
    """A set of Mulan's: `checksums` are those of the labels, the training part and the test part, in this order.

    `published` is the folder of the origin that holds files of the same names, None where none is known.
    """
    return Registry(
        name,
        {
            part: DataFile(f"multilabel/{name}/{file}", checksum, _origin(published, file))
            for part, (file, checksum) in zip(("labels", "train", "test"), checksums.items(), strict=True)
        },
        f"{name}: no licence stated; {licence}.",
    )


def _origin(folder: str | None, file: str) -> Origin | None:
    if folder is None:
        return None
    if file == "tmc2007-500.xml":  # published under the name of the larger table, whose labels are the same
        return Origin(_REPOSITORY, "8ec379b19b8ed9b172f34efa19a7ae976323462a", f"{folder}/tmc2007.xml")
    return Origin(_REPOSITORY, _COMMIT, f"{folder}/{file}")


_SETS = (
    _mulan(
        "scene",
        "Boutell et al. 2004",
        {
            "scene.xml": "55d8b247b949ad5c52e5a73d8c6775ec6e5469ce9682465b45b333b68ee4bcc5",
            "scene-train.arff": "b53ba93bdf412de922e3960389bcee24744fa3e872ce610511fc1d750888b64d",
            "scene-test.arff": "ea38d20296b3ff7e220f477a3b802a9bcb2d768881fe6ee163efbc97ea527a42",
        },
        "data/multi-label/scene",
    ),
    _mulan(
        "yeast",
        "Elisseeff & Weston 2002",
        {
            "yeast.xml": "c3056cc26444b5158b1588d1b73bec9c45429e10f0957ad085903423cb81f247",
            "yeast-train.arff": "e759dc991ff54694a4ff9c4314f3be0d6fd2b1994a4b563f57e416394c6aebbd",
            "yeast-test.arff": "4aaac102bff9669a765bf0b378602e5cc8c3b181048282e2f003117b496d552a",
        },
        "data/multi-label/yeast",
    ),
    _mulan(
        "emotions",
        "Trohidis et al. 2008",
        {
            "emotions.xml": "dbce8e6ccbbb2fcbfd9e9edbb230d7ed12692c6e13f59fdbc0161fa9b6cf2dc0",
            "emotions-train.arff": "bbe704106c79bb8fb99c1d1d2e9bde081d6a2daeb01f100862f11fd91a3c1f98",
            "emotions-test.arff": "f13d4b746b7b5c8eb484bd751d6ac463d4560dff998a93516a5c1fe35daf6c8f",
        },
        "data/multi-label/emotions",
    ),
    _mulan(
        "enron",
        "messages labelled by the UC Berkeley Enron Email Analysis Project",
        {
            "enron.xml": "ed40c92d7f613eed51714912cab10dddc4ce456262137d8fef230d44c7f4457b",
            "enron-train.arff": "2988cefc1cdf7a8004a20ef84615cc8fa1b5d7434c16687283b41454e2d9d194",
            "enron-test.arff": "2f3aad54a8f54caaab4ab01246fe9dd385ba944a2633028f52747b57eac5474e",
        },
        "data/multi-label/enron",
    ),
    _mulan(
        "medical",
        "Pestian et al. 2007",
        {
            "medical.xml": "51fa9d5c09e48caff3f0a0c75db1c9aa85944f8e35451f3ad8bd56fc422286ce",
            "medical-train.arff": "c764f45756ab1c553b8b4eaaf5605a5610a43bbbcf37492d0f1a12bf9c9e2244",
            "medical-test.arff": "6be472e75a6c0b0916187f343a398011b1b26f8f0ddc682c575312ad3532f6c4",
        },
        "data/multi-label/medical",
    ),
    _mulan(
        "bibtex",
        "Katakis et al. 2008",
        {
            "bibtex.xml": "08fe20013c1e75dcf1888c185f5187c95e76495b8518ce289b4d3afce38d1232",
            "bibtex-train.arff": "8dcc9de6e0b2cebaec8c1f4fac78431adeeb73cfd3ab879b530a66d366e59174",
            "bibtex-test.arff": "9b03329cde64d3f994bdf7fbbac3f3b10fe185c311cb9ae725475f59c7f3f922",
        },
        "data/multi-label/bibtex",
    ),
    _mulan(
        "delicious",
        "Tsoumakas et al. 2008",
        {
            "delicious.xml": "4e0c0f93c7d86a39b9fca4aaefaa00e9428f2c80277732dfbf03ca48e2c14da2",
            "delicious-train.arff": "030186cdb542ebdd32052fcdbb1ebe30115b3a22518c1b4b198c45eb827aebe1",
            "delicious-test.arff": "2dfb01723a819914b0ca83361177ed413ce3f2169851d9f228d4692915d63944",
        },
        "data/multi-label/delicious",
    ),
    _mulan(
        "corel5k",
        "Duygulu et al. 2002",
        {
            "Corel5k.xml": "54ef6a6ccb7ca9b77524052b34b306d5d501661a5609b9d1cc7085b2b597679d",
            "Corel5k-train-sparse.arff": "19eb253c447144bea74ffa86b4731a56022addae2ba7d0aab72ad07fdc02e9b3",
            "Corel5k-test-sparse.arff": "e8f8e9cd052c43ba7bdfdf99d242f461fc8c2a03163466d921e576887b51d8a7",
        },
        "data/multi-label/corel5k",
    ),
    _mulan(
        "tmc2007-500",
        "Srivastava & Zane-Ulman 2005",
        {
            "tmc2007-500.xml": "cb6a67c8ae72fd9b47d89f77aa5b7f6cafb4ba9c20b1124c65a95a3f2caec38d",
            "tmc2007-500-train.arff": "edfe7b7615c6f80e54c92a214437610d1ae36560c5cc6c4253b51c434d258273",
            "tmc2007-500-test.arff": "b24f9c3f1eba77c9da0bbaff093ba41d331b7351be0167a8e1e3852c62e25e38",
        },
        "data/multi-label/tmc2007",
    ),
    _mulan(
        "mediamill-subset",
        "Snoek et al. 2006",
        {
            "mediamill.xml": "398a38599da3f390f4247e08c81c283817875d06a8278b10db3b514855e837dd",
            "mediamill-train.arff": "f4a562d2b78f5daedeafabc0747542ed2e4d5fd0bb20d348c53d63cc3a0b1e7c",
            "mediamill-test.arff": "7594040bfe35e09f674d1c15727d978f310c1106de49ea448764e4627b8b424d",
        },
        None,  # the subset is published nowhere at a fixed commit
    ),
    Registry(
        "rcv1v2",
        {
            # Repaired from a public file (the labels of its test half were shifted); the repaired one has no origin.
            "all": DataFile(
                "multilabel/rcv1v2/rcv1v2.npz", "25d993e170021ea2e4012005bff9189ceb25645867ba50356d3a218908df3924"
            )
        },
        "rcv1v2: RCV1-v2, Lewis et al. 2004; for research use.",
    ),
)

#: By name, in the order of the documentation.
MULTILABEL_FILES: dict[str, Registry] = {registry.name: registry for registry in _SETS}
